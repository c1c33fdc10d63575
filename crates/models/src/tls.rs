//! The one place that chooses the cryptography of TLS.

/// Installs *ring* as the provider of this process; later calls change nothing. `reqwest` builds no client before
/// that.
pub fn install_tls() {
    // an error means that a provider is already installed, which is fine
    let _ = rustls::crypto::ring::default_provider().install_default();
}
