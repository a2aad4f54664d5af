//! Runs the parser and the generator over the corpus of real and hostile CRDs.

mod choices;
mod generate;
mod hostile;
mod parse;
