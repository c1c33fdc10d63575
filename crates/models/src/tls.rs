//! The choice of the cryptography of TLS.

/// Installs *ring* as the provider of this process; later calls have no effect. `reqwest` needs it before it builds a
/// client.
pub fn install_tls() {
    // an error means that a provider is already installed, which is fine
    let _ = rustls::crypto::ring::default_provider().install_default();
}
