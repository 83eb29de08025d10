/** Draws the pictures of the sample products into src/products/sample. Usage: node scripts/sample-images.ts [folder] */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { drawBusinessCard, drawPostcard, drawPoster } from './lib/sample-images/flat-products.ts'
import { registerFonts } from './lib/sample-images/scene.ts'
import { drawMug, drawShirt } from './lib/sample-images/solid-products.ts'

const PICTURES = {
  'business-card': drawBusinessCard,
  postcard: drawPostcard,
  poster: drawPoster,
  't-shirt': drawShirt,
  mug: drawMug,
}

/** Each picture is part of the repository and of every installation. */
const MAX_BYTES = 40_000

const folder = process.argv[2] ?? join(import.meta.dirname, '../src/products/sample')
registerFonts()
for (const [name, draw] of Object.entries(PICTURES)) {
  const bytes = await draw().encode('webp', 88)
  if (bytes.byteLength > MAX_BYTES)
    throw new Error(`${name}.webp has ${bytes.byteLength} bytes, more than ${MAX_BYTES}`)
  writeFileSync(join(folder, `${name}.webp`), bytes)
}
