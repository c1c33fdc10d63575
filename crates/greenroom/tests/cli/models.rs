//! `greenroom models`.

use greenroom_tests::Home;
use insta::assert_snapshot;

use crate::run;

#[test]
fn models_are_listed_with_size_and_licence() {
    let (code, out, _) = run(&Home::new(), &["models", "list"]);
    assert_eq!(code, 0);
    assert_snapshot!(out, @r"
    NAME          DOWNLOAD  LICENCE     INSTALLED  WHAT IT IS
    smollm2       98.4 MB   Apache-2.0  no         SmolLM2-135M-Instruct, the built-in demonstration chat model
    minilm        91.3 MB   Apache-2.0  no         all-MiniLM-L6-v2, an embedder for recall by meaning
    multilingual  32.9 MB   Apache-2.0  no         Universal Sentence Encoder multilingual v3, an embedder for sixteen languages
    ");
    let (code, _, err) = run(&Home::new(), &["models", "pull", "gpt-9"]);
    assert_eq!(code, 2);
    assert!(err.contains("smollm2"), "{err}");
}
