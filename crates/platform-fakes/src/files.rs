//! The files that people send. The name determines the content.

/// A picture of one point.
const PICTURE: &[u8] =
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89\0\0\0\rIDATx\x9cc\
    \xf8\xcf\xc0\xf0\x1f\0\x05\0\x01\xff\x56\xc7\x2f\x0d\0\0\0\0IEND\xaeB`\x82";

/// The bytes of a file: 20 MB if the name begins with `huge`, an HTML page if it begins with `page`, otherwise a
/// picture.
pub(crate) fn bytes(name: &str) -> Vec<u8> {
    match name.rsplit('/').next().unwrap_or_default() {
        name if name.starts_with("huge") => vec![0x89; 20 << 20],
        name if name.starts_with("page") => b"<!DOCTYPE html><title>no picture</title>".to_vec(),
        _ => PICTURE.to_vec(),
    }
}
