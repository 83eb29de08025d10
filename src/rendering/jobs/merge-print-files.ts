import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { RENDERER_VERSION } from '../content-hash.ts'
import { readVerified } from '../images/read-verified.ts'
import { type CopiedFile, startMergedPdf } from '../pdf/merging/merged-pdf.ts'
import { openPrintFile } from '../pdf/merging/print-file.ts'

export type FilesToMerge = {
  /** The title of the PDF, in ASCII. */
  title: string
  /** Print files in the order of the pages, with the title of each in the outline. A file may occur several times. */
  files: readonly { path: string; sha256: string; title: string }[]
}

/**
 * `others` are the indexes of the files whose printing condition is another one than that of the first: a PDF/X file has
 * one.
 */
export type MergeOutcome = { path: string; bytes: number; pages: number } | { others: number[] }

/**
 * Joins print files to one PDF/X-4 file in a folder. The pages keep their boxes, colours, layers and streams; objects
 * that several files contain, such as profiles, images and fonts, are stored once. Memory holds one file at a time.
 *
 * The same files give the same bytes.
 */
export async function mergePrintFiles({ title, files }: FilesToMerge, outDir: string): Promise<MergeOutcome> {
  const path = join(outDir, 'merged.pdf')
  const descriptor = openSync(path, 'w')
  try {
    const merged = startMergedPdf(descriptor)
    const copied = new Map<string, CopiedFile>()
    for (const { title, sha256, path } of files) {
      const file = copied.get(sha256) ?? merged.copy(sha256, await openPrintFile(await readVerified({ path, sha256 })))
      copied.set(sha256, file)
      merged.addPages(file, title)
    }
    const others = files.flatMap(({ sha256 }, index) => (copied.get(sha256)?.isOther === true ? [index] : []))
    if (others.length > 0) return { others }
    return { path, ...merged.end({ title, producer: `Platen ${RENDERER_VERSION}` }) }
  } finally {
    closeSync(descriptor)
  }
}
