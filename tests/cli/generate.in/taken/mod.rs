// A file of somebody else.
