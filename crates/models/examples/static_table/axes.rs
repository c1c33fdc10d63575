//! Principal axes of a set of vectors: the directions in which they differ most.

/// Takes this share of the mean of all rows away from each.
pub fn centre(rows: &mut [Vec<f32>], share: f64) {
    let Some(dimension) = rows.first().map(Vec::len) else { return };
    for column in 0..dimension {
        let mean = rows.iter().map(|row| f64::from(row[column])).sum::<f64>() / rows.len() as f64;
        rows.iter_mut().for_each(|row| row[column] -= (share * mean) as f32);
    }
}

/// The rows in coordinates along their `count` principal axes.
pub fn principal(rows: &[Vec<f32>], count: usize) -> Vec<Vec<f32>> {
    let axes = axes(rows, count);
    rows.iter()
        .map(|row| {
            let along = |axis: &Vec<f64>| row.iter().zip(axis).map(|(x, a)| f64::from(*x) * a).sum::<f64>();
            axes.iter().map(|axis| along(axis) as f32).collect()
        })
        .collect()
}

/// The eigenvectors of the second moments with the largest eigenvalues, largest first, each turned so
/// that its largest entry is positive, since its sign is arbitrary.
fn axes(rows: &[Vec<f32>], count: usize) -> Vec<Vec<f64>> {
    let (values, vectors) = eigen(moments(rows));
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&i, &j| values[j].total_cmp(&values[i]));
    order.truncate(count);
    order
        .into_iter()
        .map(|i| {
            let axis = &vectors[i];
            let largest = axis.iter().fold(0.0, |best: f64, x| if x.abs() > best.abs() { *x } else { best });
            axis.iter().map(|x| x * largest.signum()).collect()
        })
        .collect()
}

fn moments(rows: &[Vec<f32>]) -> Vec<Vec<f64>> {
    let n = rows.first().map_or(0, Vec::len);
    let mut sums = vec![vec![0.0; n]; n];
    for row in rows {
        for (i, sum) in sums.iter_mut().enumerate() {
            let x = f64::from(row[i]);
            for (total, y) in sum[i..].iter_mut().zip(&row[i..]) {
                *total += x * f64::from(*y);
            }
        }
    }
    let upper = sums.clone();
    for (i, row) in sums.iter_mut().enumerate() {
        for (value, above) in row.iter_mut().zip(&upper).take(i) {
            *value = above[i];
        }
    }
    sums
}

/// Eigenvalues and eigenvectors (as rows) of a symmetric matrix, by cyclic Jacobi rotations
/// (Golub and Van Loan, "Matrix Computations", §8.5).
fn eigen(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    let off = |a: &[Vec<f64>]| {
        (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j].powi(2)).sum::<f64>()
    };
    let small = 1e-24 * (0..n).map(|i| a[i][i].powi(2)).sum::<f64>();
    while off(&a) > small {
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + theta.hypot(1.0));
                let c = 1.0 / t.hypot(1.0);
                let s = t * c;
                rotate_rows(&mut a, p, q, c, s);
                for row in &mut a {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
                rotate_rows(&mut vectors, p, q, c, s);
            }
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), vectors)
}

fn rotate_rows(m: &mut [Vec<f64>], p: usize, q: usize, c: f64, s: f64) {
    let (head, tail) = m.split_at_mut(q);
    for (x, y) in head[p].iter_mut().zip(&mut tail[0]) {
        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
    }
}
