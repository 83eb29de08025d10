import sharp from 'sharp'

/** Makes a JPEG of any size that resembles a photo: hills in soft light, with the noise of a camera. */
export async function makeLargePhoto(width: number, height: number): Promise<Uint8Array<ArrayBuffer>> {
  const rows = Buffer.allocUnsafe(width * height * 3)
  let noise = 1
  for (let y = 0, at = 0; y < height; y += 1) {
    const light = 60 + (150 * y) / height
    const ridge = 40 * Math.sin(y / 310) + 25 * Math.sin(y / 97)
    for (let x = 0; x < width; x += 1, at += 3) {
      noise = (Math.imul(noise, 1664525) + 1013904223) >>> 0
      const value = light + ridge * (SINE[(x >> 2) & 1023] ?? 0) + (noise >>> 26) - 32
      rows[at] = clamp(value + 12)
      rows[at + 1] = clamp(value)
      rows[at + 2] = clamp(value - 18)
    }
  }
  const jpeg = await sharp(rows, { raw: { width, height, channels: 3 } })
    .jpeg({ quality: 80 })
    .toBuffer()
  return new Uint8Array(jpeg)
}

const SINE = Float64Array.from({ length: 1024 }, (_, index) => Math.sin((index / 1024) * 2 * Math.PI))

function clamp(value: number): number {
  return Math.min(255, Math.max(0, value))
}
