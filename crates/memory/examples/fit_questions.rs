//! Fits the projection of the multilingual embedder, and the map that takes the vector of a question to the vectors of its
//! answers (MP4). Prints how often the answer is the nearest message, and among the nearest ten: of whole vectors, of
//! projected ones, and of projected ones with the map.
//!
//! ```text
//! cargo run --release -p greenroom-memory --example fit_questions -- DATA/models crates/memory/data/questions/*.tsv
//! cargo run --release -p greenroom-memory --example fit_questions -- DATA/models FILE.tsv … --judge OTHER.tsv
//! cargo run --release -p greenroom-memory --example fit_questions -- DATA/models FILE.tsv … --write crates/models/assets
//! ```
//!
//! DATA/models has the multilingual embedder (`greenroom models pull multilingual`). A line of a file has four columns,
//! separated by tabs: a message that tells something, a question about it in the same language, the same question in
//! English, and a message that resembles the question and does not answer it. The languages are those of the files'
//! names. Without `--judge` and `--write` each file is ranked with what is fitted to the other languages' files. `--write`
//! names the directory of `multilingual.projection` and `multilingual.questions`.

use std::{error::Error, fs, path::PathBuf};

use greenroom_models::{MultilingualEmbedder, Weights as Installed, linear_map_file};

#[path = "fit_questions/map.rs"]
mod map;
#[path = "fit_questions/projection.rs"]
mod projection;

use map::{Batch, Map, dot};
use projection::Projection;

/// The number of texts per call of the embedder.
const TEXTS: usize = 64;
/// The number of messages with their questions that are told apart at once.
const PAIRS: usize = 150;

/// The pairs of one file.
struct Pairs {
    name: String,
    batches: Vec<Batch>,
}

/// A projection and a map of projected questions.
struct Fit {
    projection: Projection,
    map: Map,
}

impl Fit {
    fn to(files: &[&Pairs]) -> Self {
        let batches: Vec<&Batch> = files.iter().flat_map(|file| &file.batches).collect();
        let vectors = batches.iter().flat_map(|batch| batch.texts.iter().chain(&batch.questions));
        let projection = Projection::fitted(vectors);
        let project = |vectors: &[Vec<f32>]| vectors.iter().map(|vector| projection.apply(vector)).collect();
        let projected = |batch: &&Batch| Batch {
            texts: project(&batch.texts),
            answers: batch.answers,
            questions: project(&batch.questions),
        };
        let projected: Vec<Batch> = batches.iter().map(projected).collect();
        let mut map = Map::fitted(&batches).projected(&projection);
        map.calibrate(&projected);
        Self { projection, map }
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let (mut fitted, mut judged, mut output) = (Vec::new(), Vec::new(), None);
    let mut arguments = std::env::args().skip(1);
    let models = arguments.next().ok_or("which directory are the weights in?")?;
    let embedder = MultilingualEmbedder::new(Installed::new(PathBuf::from(models)));
    let read = async |file: String| pairs(&file, &embedder).await;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--judge" => judged.push(read(arguments.next().ok_or("which file?")?).await?),
            "--write" => output = Some(arguments.next().ok_or("which directory?")?),
            _ => fitted.push(read(argument).await?),
        }
    }
    println!("| questions of | first, among ten | projected | with the map |\n|---|---|---|---|");
    if judged.is_empty() && output.is_none() {
        for pairs in &fitted {
            let language = |pairs: &Pairs| pairs.name.chars().take(2).collect::<String>();
            let others = fitted.iter().filter(|other| language(other) != language(pairs));
            show(&Fit::to(&others.collect::<Vec<_>>()), pairs);
        }
        return Ok(());
    }
    let fit = Fit::to(&fitted.iter().collect::<Vec<_>>());
    judged.iter().for_each(|pairs| show(&fit, pairs));
    if let Some(output) = output {
        let output = PathBuf::from(output);
        fs::write(output.join("multilingual.projection"), linear_map_file(&fit.projection.rows()))?;
        fs::write(output.join("multilingual.questions"), linear_map_file(&fit.map.rows()))?;
    }
    Ok(())
}

/// Reads and embeds a file.
async fn pairs(file: &str, embedder: &MultilingualEmbedder) -> Result<Pairs, Box<dyn Error>> {
    let path = PathBuf::from(file);
    let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let text = fs::read_to_string(path)?;
    let rows: Vec<Vec<&str>> = text.lines().map(|line| line.split('\t').collect()).collect();
    if let Some(at) = rows.iter().position(|row| row.len() != 4) {
        return Err(format!("{file}:{}: a line has four columns", at + 1).into());
    }
    let mut columns = Vec::new();
    for column in 0..4 {
        let texts: Vec<String> = rows.iter().map(|row| row[column].to_owned()).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        for batch in texts.chunks(TEXTS) {
            vectors.extend(embedder.joined_vectors(batch).await?);
        }
        columns.push(vectors);
    }
    let batches = (0..rows.len()).step_by(PAIRS).map(|begin| {
        let part = |column: usize| columns[column][begin..rows.len().min(begin + PAIRS)].to_vec();
        let messages = part(0);
        Batch {
            answers: messages.len(),
            texts: [messages, part(3)].concat(),
            questions: [part(1), part(2)].concat(),
        }
    });
    Ok(Pairs { batches: batches.collect(), name })
}

/// Prints how often the answer is the nearest text and among the nearest ten.
fn show(fit: &Fit, pairs: &Pairs) {
    let shares = |of_question: &dyn Fn(&[f32]) -> Vec<f32>, of_text: &dyn Fn(&[f32]) -> Vec<f32>| {
        let (mut first, mut ten, mut all) = (0, 0, 0);
        for batch in &pairs.batches {
            let texts: Vec<Vec<f32>> = batch.texts.iter().map(|text| of_text(text)).collect();
            for (at, question) in batch.questions.iter().enumerate() {
                let question = of_question(question);
                let answer = dot(&question, &texts[at % batch.answers]);
                let nearer = texts.iter().filter(|text| dot(&question, text) > answer).count();
                (first, ten, all) = (first + u32::from(nearer == 0), ten + u32::from(nearer < 10), all + 1);
            }
        }
        let percent = |count: u32| 100.0 * f64::from(count) / f64::from(all.max(1));
        format!("{:.1}, {:.1}", percent(first), percent(ten))
    };
    let whole = |vector: &[f32]| vector.to_vec();
    let projected = |vector: &[f32]| fit.projection.apply(vector);
    let mapped = |vector: &[f32]| fit.map.apply(&projected(vector));
    println!(
        "| {} | {} | {} | {} |",
        pairs.name,
        shares(&whole, &whole),
        shares(&projected, &projected),
        shares(&mapped, &projected)
    );
}
