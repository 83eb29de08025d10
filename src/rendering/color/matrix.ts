type Matrix = readonly (readonly number[])[]

export function dot(a: readonly number[], b: readonly number[]): number {
  return a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)
}

/** Inverts a 3 by 3 matrix. The rows of the inverse are cross products of the columns, divided by the determinant. */
export function inverse(matrix: Matrix): number[][] {
  const [x, y, z] = [0, 1, 2].map((column) => matrix.map((row) => row[column] ?? 0)) as [number[], number[], number[]]
  const determinant = dot(x, cross(y, z))
  return [cross(y, z), cross(z, x), cross(x, y)].map((row) => row.map((value) => value / determinant))
}

function cross([a = 0, b = 0, c = 0]: number[], [d = 0, e = 0, f = 0]: number[]): number[] {
  return [b * f - c * e, c * d - a * f, a * e - b * d]
}

export function multiply(a: Matrix, b: Matrix): number[][] {
  return a.map((row) =>
    [0, 1, 2].map((column) =>
      dot(
        row,
        b.map((other) => other[column] ?? 0),
      ),
    ),
  )
}
