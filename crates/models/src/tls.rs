//! One place that says which cryptography TLS runs on.

/// Installs *ring* as the provider of this process; later calls change nothing. `reqwest` refuses
/// to build a client before that.
pub fn install_tls() {
    // an error means somebody installed one already, which is as good
    let _ = rustls::crypto::ring::default_provider().install_default();
}
