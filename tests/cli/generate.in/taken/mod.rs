// A file of the user.
