//! Texts for certificates that are not trusted.

use std::{error::Error, io};

use rustls::{CertificateError, Error as Tls};

/// The problem of a server's certificate with its remedy. `None` if the error has another cause.
pub(crate) fn problem(error: &(dyn Error + 'static)) -> Option<String> {
    let mut source = Some(error);
    while let Some(error) = source {
        if let Some(Tls::InvalidCertificate(wrong)) = error.downcast_ref::<Tls>() {
            return Some(words(wrong));
        }
        // `source` of an `io::Error` skips the error that it wraps
        let within = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        source = match within {
            Some(within) => Some(within),
            None => error.source(),
        };
    }
    None
}

fn words(wrong: &CertificateError) -> String {
    let (why, remedy) = match wrong {
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => ("it has expired", RENEW),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("it is not valid yet", "check the clock of this machine")
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            ("it is for another name", "write the server's name as its certificate has it")
        }
        CertificateError::Revoked => ("it was revoked", RENEW),
        _ => (
            "the server or an unknown authority has made it",
            "if it is yours, name its file with --ca-file (`ca_file` of the account)",
        ),
    };
    format!("the certificate of the server is not trusted: {why}; {remedy}")
}

const RENEW: &str = "ask the operators of the server for a new one";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ad5_a_certificate_that_is_not_trusted_is_named_with_the_remedy() {
        let tls = Tls::InvalidCertificate(CertificateError::UnknownIssuer);
        let system = io::Error::new(io::ErrorKind::InvalidData, tls);
        let words = problem(&io::Error::other(system)).unwrap();
        assert!(words.contains("is not trusted") && words.contains("--ca-file"), "{words}");
        let expired = problem(&Tls::InvalidCertificate(CertificateError::Expired)).unwrap();
        assert!(expired.contains("it has expired") && !expired.contains("--ca-file"), "{expired}");
        assert!(problem(&io::Error::other("no route")).is_none() && problem(&Tls::DecryptError).is_none());
    }
}
