//! Real IRC servers: InspIRCd, which has echoes and message ids, and ngIRCd, which has neither. Both are packages of
//! Debian (`inspircd`, `ngircd`). A test fails if they are not installed.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{
        TcpStream,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
};

use super::within;

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Inspircd,
    Ngircd,
}

/// A local server, killed on drop.
pub struct Server {
    pub kind: Kind,
    pub port: u16,
    /// InspIRCd's port for TLS.
    pub tls_port: u16,
    pub directory: tempfile::TempDir,
    pub child: Option<Child>,
}

pub const INSPIRCD: &str = r#"
<server name="irc.test" description="test" network="Test">
<admin name="a" nick="a" email="a@example.org">
<bind address="127.0.0.1" port="PORT" type="clients">
<connect allow="*" timeout="60" pingfreq="60" localmax="100" globalmax="100" resolvehostnames="no">
<pid file="DIR/pid">
<log method="file" type="*" level="default" target="DIR/log">
<module name="cap">
<module name="ircv3">
<module name="ircv3_batch">
<module name="ircv3_ctctags">
<module name="ircv3_echomessage">
<module name="ircv3_labeledresponse">
<module name="ircv3_msgid">
<module name="ircv3_servertime">
<module name="botmode">
<module name="redirect">
"#;

/// The additional configuration for TLS.
pub const TLS: &str = r#"
<module name="ssl_gnutls">
<sslprofile name="Clients" provider="gnutls" certfile="DIR/cert.pem" keyfile="DIR/key.pem">
<bind address="127.0.0.1" port="TLSPORT" type="clients" sslprofile="Clients">
"#;

pub const NGIRCD: &str = "[Global]\nName = irc.test\nInfo = test\nListen = 127.0.0.1\nPorts = PORT\nMotdPhrase = hi\n\
                      [Options]\nDNS = no\nIdent = no\nPAM = no\n[Limits]\nMaxConnectionsIP = 100\nMaxNickLength = 16\n";

impl Server {
    pub async fn start(kind: Kind) -> Self {
        let free = || std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let directory = tempfile::tempdir().unwrap();
        certificate(directory.path());
        let mut server = Self { kind, port: free(), tls_port: free(), directory, child: None };
        server.run().await;
        server
    }

    /// Starts the server, also again after a kill.
    pub async fn run(&mut self) {
        let directory = self.directory.path();
        let config = directory.join("config");
        let text = if self.kind == Kind::Inspircd { format!("{INSPIRCD}{TLS}") } else { NGIRCD.to_owned() };
        let text = text.replace("TLSPORT", &self.tls_port.to_string());
        let text = text.replace("PORT", &self.port.to_string()).replace("DIR", &directory.to_string_lossy());
        std::fs::write(&config, text).unwrap();
        let mut command = match self.kind {
            Kind::Inspircd => {
                let mut command = Command::new(found("inspircd"));
                command.arg("--config").arg(&config).args(["--nofork", "--runasroot"]);
                command
            }
            Kind::Ngircd => {
                let mut command = Command::new(found("ngircd"));
                command.arg("-n").arg("-f").arg(&config);
                command
            }
        };
        let out = std::fs::File::create(directory.join("out")).unwrap();
        command.stdin(Stdio::null()).stdout(out.try_clone().unwrap()).stderr(out);
        self.child = Some(command.spawn().unwrap());
        within(async {
            while TcpStream::connect(("127.0.0.1", self.port)).await.is_err() {
                let ended = self.child.as_mut().and_then(|child| child.try_wait().unwrap());
                assert!(ended.is_none(), "{}", std::fs::read_to_string(directory.join("out")).unwrap());
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        })
        .await;
    }

    pub fn kill(&mut self) {
        if let Some(mut child) = self.child.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Writes a self-signed certificate for `localhost`, valid for 2 days, with its key.
pub fn certificate(directory: &Path) {
    let made = Command::new("openssl")
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
        .args(["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"])
        // by default openssl marks the certificate as a CA, as most self-signed certificates are
        .arg("-keyout")
        .arg(directory.join("key.pem"))
        .arg("-out")
        .arg(directory.join("cert.pem"))
        .output()
        .expect("this test needs openssl");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}

/// The path of an installed program.
pub fn found(program: &str) -> std::path::PathBuf {
    let known = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map(|place| Path::new(place).join(program));
    let program = known.into_iter().find(|path| path.exists());
    program.expect("this test needs a server: apt-get install inspircd ngircd")
}

/// A person's client.
pub struct Person {
    pub lines: tokio::io::Lines<BufReader<OwnedReadHalf>>,
    pub writer: OwnedWriteHalf,
}

impl Person {
    pub async fn enter(server: &Server, nick: &str) -> Self {
        let (reader, writer) = TcpStream::connect(("127.0.0.1", server.port)).await.unwrap().into_split();
        let mut person = Self { lines: BufReader::new(reader).lines(), writer };
        person.send(&format!("NICK {nick}")).await;
        person.send(&format!("USER {nick} 0 * :{nick}")).await;
        person.until(|line| line.contains(" 001 ")).await;
        person.send("JOIN #tea").await;
        person.until(|line| line.contains(" 366 ")).await;
        person
    }

    pub async fn send(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\r\n").as_bytes()).await.unwrap();
    }

    pub async fn says(&mut self, to: &str, text: &str) {
        self.send(&format!("PRIVMSG {to} :{text}")).await;
    }

    /// The next line that satisfies a condition.
    pub async fn until(&mut self, wished: impl Fn(&str) -> bool) -> String {
        within(async {
            loop {
                let line = self.lines.next_line().await.unwrap().expect("the server goes on");
                if let Some(token) = line.strip_prefix("PING ") {
                    self.send(&format!("PONG {token}")).await;
                }
                if wished(&line) {
                    return line;
                }
            }
        })
        .await
    }

    /// The next message: sender, target, text.
    pub async fn hears(&mut self) -> (String, String, String) {
        let line = self.until(|line| line.contains(" PRIVMSG ")).await;
        let (prefix, rest) = line[1..].split_once(" PRIVMSG ").unwrap();
        let (to, text) = rest.split_once(" :").unwrap();
        (prefix.split('!').next().unwrap().to_owned(), to.to_owned(), text.to_owned())
    }
}
