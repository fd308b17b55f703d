//! Vectors, rotations, and symmetric systems of equations.

pub(super) type Vector = [f64; 3];
pub(super) type Matrix = [Vector; 3];

pub(super) const IDENTITY: Matrix = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

pub(super) fn add(one: Vector, other: Vector) -> Vector {
    std::array::from_fn(|axis| one[axis] + other[axis])
}

pub(super) fn subtract(one: Vector, other: Vector) -> Vector {
    std::array::from_fn(|axis| one[axis] - other[axis])
}

pub(super) fn scaled(vector: Vector, scale: f64) -> Vector {
    vector.map(|value| value * scale)
}

pub(super) fn dot(one: Vector, other: Vector) -> f64 {
    one[0] * other[0] + one[1] * other[1] + one[2] * other[2]
}

pub(super) fn cross(one: Vector, other: Vector) -> Vector {
    [
        one[1] * other[2] - one[2] * other[1],
        one[2] * other[0] - one[0] * other[2],
        one[0] * other[1] - one[1] * other[0],
    ]
}

pub(super) fn length(vector: Vector) -> f64 {
    dot(vector, vector).sqrt()
}

/// None for one without a direction.
pub(super) fn unit(vector: Vector) -> Option<Vector> {
    let length = length(vector);
    (length > 1e-12 && length.is_finite()).then(|| scaled(vector, 1.0 / length))
}

pub(super) fn apply(matrix: &Matrix, vector: Vector) -> Vector {
    matrix.map(|row| dot(row, vector))
}

pub(super) fn transposed(matrix: &Matrix) -> Matrix {
    std::array::from_fn(|row| std::array::from_fn(|column| matrix[column][row]))
}

pub(super) fn product(one: &Matrix, other: &Matrix) -> Matrix {
    let columns = transposed(other);
    one.map(|row| columns.map(|column| dot(row, column)))
}

/// The rotation around a vector by its length in radians.
pub(super) fn rotation(around: Vector) -> Matrix {
    let angle = length(around);
    let Some([x, y, z]) = unit(around) else {
        return IDENTITY;
    };
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let rest = 1.0 - cosine;
    [
        [
            cosine + x * x * rest,
            x * y * rest - z * sine,
            x * z * rest + y * sine,
        ],
        [
            y * x * rest + z * sine,
            cosine + y * y * rest,
            y * z * rest - x * sine,
        ],
        [
            z * x * rest - y * sine,
            z * y * rest + x * sine,
            cosine + z * z * rest,
        ],
    ]
}

/// The inverse of a symmetric matrix; none for one that is not positive.
pub(super) fn inverse(matrix: &Matrix) -> Option<Matrix> {
    let [a, b, c] = *matrix;
    let rows = [cross(b, c), cross(c, a), cross(a, b)];
    let determinant = dot(a, rows[0]);
    (determinant > 0.0 && determinant.is_finite())
        .then(|| transposed(&rows.map(|row| scaled(row, 1.0 / determinant))))
}

/// The factor of a symmetric positive matrix (A.-L. Cholesky).
pub(super) struct Cholesky {
    size: usize,
    factor: Vec<f64>,
}

impl Cholesky {
    /// None for a matrix that is not positive, row by row.
    pub(super) fn new(mut matrix: Vec<f64>, size: usize) -> Option<Self> {
        for column in 0..size {
            for row in column..size {
                let mut sum = matrix[row * size + column];
                for index in 0..column {
                    sum -= matrix[row * size + index] * matrix[column * size + index];
                }
                if row > column {
                    matrix[row * size + column] = sum / matrix[column * size + column];
                } else if sum > 1e-14 * matrix[column * size + column] && sum.is_finite() {
                    matrix[column * size + column] = sum.sqrt();
                } else {
                    return None;
                }
            }
        }
        Some(Self { size, factor: matrix })
    }

    pub(super) fn solve(&self, values: &mut [f64]) {
        let size = self.size;
        for row in 0..size {
            for index in 0..row {
                values[row] -= self.factor[row * size + index] * values[index];
            }
            values[row] /= self.factor[row * size + row];
        }
        for row in (0..size).rev() {
            for index in row + 1..size {
                values[row] -= self.factor[index * size + row] * values[index];
            }
            values[row] /= self.factor[row * size + row];
        }
    }

    pub(super) fn inverse(&self) -> Vec<f64> {
        let mut inverse = vec![0.0; self.size * self.size];
        for (row, values) in inverse.chunks_exact_mut(self.size).enumerate() {
            values[row] = 1.0;
            self.solve(values);
        }
        inverse
    }
}
