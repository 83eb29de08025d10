import { mutateBytes } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'
import { mutateJpeg } from './jpeg.ts'
import { mutatePng } from './png.ts'
import { mutateTiff } from './tiff.ts'
import { mutateWebp } from './webp.ts'

/** Changes an image according to its format, so that the decoder reaches the changed part. */
export function mutateImage(random: Random, input: Buffer, other: Buffer): Buffer {
  if (random.chance(0.03)) return mutateBytes(random, input)
  const head = input.toString('latin1', 0, 4)
  if (head === '\x89PNG') return mutatePng(random, input, other)
  if (head === 'RIFF') return mutateWebp(random, input, other)
  if (head.startsWith('\xff\xd8')) return mutateJpeg(random, input, other)
  return mutateTiff(random, input, other)
}
