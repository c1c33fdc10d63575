//! The network: rows of a table, convolutions over two, three and five pieces, their sum, and two dense layers.

use std::{fs::File, io::Read};

use candle_core::{D, Device, Error, Result, Tensor};
use zip::ZipArchive;

/// The size of a table's row, and of a convolution's output.
const ROW: usize = 512;
const WIDTH: usize = 256;
/// The table has this many parts, each with its own scale. Row `id` is in part `id % PARTS`.
const PARTS: usize = 17;
/// Each convolution: how many pieces it sees, and how many of them come before the current one.
const CONVOLUTIONS: [(usize, usize); 3] = [(2, 0), (3, 1), (5, 2)];
/// The number of zero rows between two texts, so that no convolution sees two texts.
const GAP: usize = 2;

#[derive(Debug)]
pub struct Network {
    /// The rows, one byte per number.
    table: Vec<Vec<u8>>,
    lowest: Vec<f32>,
    scale: Vec<f32>,
    projection: Tensor,
    projection_bias: Tensor,
    projection_norm: Norm,
    convolutions: Vec<[Layer; 2]>,
    norm: Norm,
    pooled: Layer,
    /// The dense layers, each with three matrices: input to hidden, hidden to output, input to output.
    first: [Tensor; 3],
    second: [Tensor; 3],
}

/// A matrix and a bias.
#[derive(Debug)]
struct Layer {
    weight: Tensor,
    bias: Tensor,
}

impl Layer {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        x.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
}

/// Scales each row to mean 0 and variance 1, then applies a learned gain and bias.
#[derive(Debug)]
struct Norm {
    gain: Tensor,
    bias: Tensor,
}

impl Norm {
    fn run(&self, x: &Tensor) -> Result<Tensor> {
        let x = x.broadcast_sub(&x.mean_keepdim(D::Minus1)?)?;
        let deviation = x.sqr()?.mean_keepdim(D::Minus1)?.affine(1.0, 1e-12)?.sqrt()?;
        x.broadcast_div(&deviation)?.broadcast_mul(&self.gain)?.broadcast_add(&self.bias)
    }
}

impl Network {
    /// Reads the network from `weights.npz`.
    pub fn read(file: File) -> Result<Self> {
        let mut arrays = Arrays(ZipArchive::new(file).map_err(Error::wrap)?);
        let table = (1..=PARTS).map(|part| arrays.bytes(&format!("q{part}"))).collect::<Result<_>>()?;
        let layer = |arrays: &mut Arrays, weight: &str, bias: &str, rows, columns| {
            Ok::<_, Error>(Layer {
                weight: arrays.tensor(weight, (rows, columns))?,
                bias: arrays.tensor(bias, (1, columns))?,
            })
        };
        let orders = || CONVOLUTIONS.iter().map(|(order, _)| order);
        let mut side_by_side = |name: &str, rows| {
            let of = |order| arrays.tensor(&format!("{name}{order}"), (rows, WIDTH));
            Tensor::cat(&orders().map(of).collect::<Result<Vec<_>>>()?, 1)
        };
        let projection = side_by_side("proj", ROW)?;
        let projection_bias = side_by_side("proj_b", 1)?;
        let projection_norm = Norm { gain: side_by_side("ln_g", 1)?, bias: side_by_side("ln_b", 1)? };
        let mut convolutions = Vec::with_capacity(CONVOLUTIONS.len());
        for order in orders() {
            let mut of = |at| {
                layer(&mut arrays, &format!("w{at}_{order}"), &format!("b{at}_{order}"), order * WIDTH, WIDTH)
            };
            convolutions.push([of(1)?, of(2)?]);
        }
        let all = ROW + CONVOLUTIONS.len() * WIDTH;
        Ok(Self {
            table,
            lowest: arrays.floats("lo")?,
            scale: arrays.floats("scale")?,
            projection,
            projection_bias,
            projection_norm,
            convolutions,
            norm: Norm { gain: arrays.tensor("ln_g", (1, all))?, bias: arrays.tensor("ln_b", (1, all))? },
            pooled: layer(&mut arrays, "cnn_W", "cnn_b", all, ROW)?,
            first: [
                arrays.tensor("d0", (ROW, 320))?,
                arrays.tensor("d1", (320, 320))?,
                arrays.tensor("p1", (ROW, 320))?,
            ],
            second: [
                arrays.tensor("d2", (320, ROW))?,
                arrays.tensor("d3", (ROW, ROW))?,
                arrays.tensor("p3", (320, ROW))?,
            ],
        })
    }

    /// One unit vector per sequence of ids, in order.
    pub fn run(&self, sequences: &[&[u32]]) -> Result<Vec<Vec<f32>>> {
        let (mut rows, mut inside) = (Vec::new(), Vec::new());
        for ids in sequences {
            for id in *ids {
                self.row(*id, &mut rows)?;
                inside.push(1.0f32);
            }
            rows.resize(rows.len() + GAP * ROW, 0.0);
            inside.resize(inside.len() + GAP, 0.0);
        }
        let count = inside.len();
        let rows = Tensor::from_vec(rows, (count, ROW), &Device::Cpu)?;
        let inside = Tensor::from_vec(inside, (count, 1), &Device::Cpu)?;
        let x = rows.matmul(&self.projection)?.broadcast_add(&self.projection_bias)?;
        let x = self.projection_norm.run(&x)?.broadcast_mul(&inside)?;
        let mut found = vec![rows];
        for (at, ((order, before), layers)) in CONVOLUTIONS.iter().zip(&self.convolutions).enumerate() {
            let mut x = x.narrow(1, at * WIDTH, WIDTH)?;
            for layer in layers {
                let seen = layer.run(&around(&x, *order, *before)?)?.relu()?;
                x = (seen + x)?.broadcast_mul(&inside)?;
            }
            found.push(x);
        }
        let x = self.norm.run(&Tensor::cat(&found, 1)?)?;
        let mut sums = Vec::with_capacity(sequences.len());
        let mut begin = 0;
        for ids in sequences {
            // the mean is enough for the sum of the pooled rows, because pooling is linear
            let mean = self.pooled.run(&x.narrow(0, begin, ids.len())?.mean_keepdim(0)?)?;
            sums.push(mean.affine((ids.len() as f64).sqrt(), 0.0)?);
            begin += ids.len() + GAP;
        }
        let x = dense(&self.first, &Tensor::cat(&sums, 0)?)?.relu()?;
        let x = dense(&self.second, &x)?.tanh()?;
        let length = x.sqr()?.sum_keepdim(1)?.affine(1.0, 1e-12)?.sqrt()?;
        x.broadcast_div(&length)?.to_vec2()
    }

    /// Appends the row of a piece.
    fn row(&self, id: u32, rows: &mut Vec<f32>) -> Result<()> {
        let (part, at) = (id as usize % PARTS, id as usize / PARTS * ROW);
        let bytes = self.table.get(part).and_then(|part| part.get(at..at + ROW));
        let (Some(bytes), Some(lowest), Some(scale)) = (bytes, self.lowest.get(part), self.scale.get(part))
        else {
            return Err(Error::msg(format!("the table has no row {id}")));
        };
        rows.extend(bytes.iter().map(|byte| f32::from(*byte) * scale + lowest));
        Ok(())
    }
}

/// Each row joined with its neighbours: `order` rows in all, `before` of them before it, zeros beyond the ends.
fn around(x: &Tensor, order: usize, before: usize) -> Result<Tensor> {
    let rows = x.dim(0)?;
    let x = x.pad_with_zeros(0, before, order - 1 - before)?;
    Tensor::cat(&(0..order).map(|at| x.narrow(0, at, rows)).collect::<Result<Vec<_>>>()?, 1)
}

/// A dense layer with one hidden layer and a direct connection.
fn dense([into, out, beside]: &[Tensor; 3], x: &Tensor) -> Result<Tensor> {
    x.matmul(into)?.relu()?.matmul(out)? + x.matmul(beside)?
}

/// The arrays of a NumPy archive (`.npz`).
struct Arrays(ZipArchive<File>);

impl Arrays {
    /// The bytes of an array without its header. The header has ten bytes, of which the last two are the length of the
    /// description that follows (NumPy's format 1.0).
    fn bytes(&mut self, name: &str) -> Result<Vec<u8>> {
        let Self(archive) = self;
        let mut file = archive.by_name(&format!("{name}.npy")).map_err(Error::wrap)?;
        let mut bytes = Vec::with_capacity(file.size() as usize);
        file.read_to_end(&mut bytes)?;
        let length = bytes.get(8..10).and_then(|length| length.try_into().ok()).map(u16::from_le_bytes);
        let begin = 10 + usize::from(length.unwrap_or_default());
        if begin > bytes.len() {
            return Err(Error::msg(format!("the array {name} is cut off")));
        }
        Ok(bytes.split_off(begin))
    }

    fn floats(&mut self, name: &str) -> Result<Vec<f32>> {
        let bytes = self.bytes(name)?;
        Ok(bytes.as_chunks().0.iter().map(|number| f32::from_le_bytes(*number)).collect())
    }

    fn tensor(&mut self, name: &str, (rows, columns): (usize, usize)) -> Result<Tensor> {
        Tensor::from_vec(self.floats(name)?, (rows, columns), &Device::Cpu)
    }
}
