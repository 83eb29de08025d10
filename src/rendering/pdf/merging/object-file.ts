import { hash } from 'node:crypto'
import { writeSync } from 'node:fs'
import { type PDFObject, PDFRef } from '@cantoo/pdf-lib'

/** Writes the objects of a PDF to a file, one after another, so that memory holds one object and the offsets. */
export interface ObjectFile {
  /** Returns a new number, for an object that is written later. */
  reserve(): PDFRef
  /** Writes an object under a number that was reserved. */
  put(ref: PDFRef, object: PDFObject): void
  /** Writes an object, unless an equal object is in the file. Returns the reference to the object. */
  add(object: PDFObject): PDFRef
  /** Writes the table of objects, and the trailer with these entries. Returns the size of the file. */
  end(trailer: Readonly<Record<string, PDFObject>>): number
}

const HEADER = Buffer.from('%PDF-1.6\n%\u00e2\u00e3\u00cf\u00d3\n', 'latin1')

/**
 * Starts a PDF file (ISO 32000-1, section 7.5). Writing blocks the process: only processes that run one job at a time
 * may use it.
 *
 * @param file descriptor of an empty file
 */
export function startObjectFile(file: number): ObjectFile {
  let length = 0
  const offsets: number[] = [0]
  const known = new Map<string, PDFRef>()
  const write = (bytes: Uint8Array): void => {
    for (let from = 0; from < bytes.length; ) from += writeSync(file, bytes, from)
    length += bytes.length
  }
  const writeText = (text: string): void => write(Buffer.from(text, 'latin1'))

  const reserve = (): PDFRef => PDFRef.of(offsets.push(Number.NaN) - 1)
  const putBytes = (ref: PDFRef, bytes: Uint8Array): void => {
    offsets[ref.objectNumber] = length
    writeText(`${ref.objectNumber} 0 obj\n`)
    write(bytes)
    writeText('\nendobj\n')
  }
  write(HEADER)
  return {
    reserve,
    put: (ref, object) => putBytes(ref, bytesOf(object)),
    add: (object) => {
      const bytes = bytesOf(object)
      const key = hash('sha256', bytes)
      const equal = known.get(key)
      if (equal !== undefined) return equal
      const ref = reserve()
      putBytes(ref, bytes)
      known.set(key, ref)
      return ref
    },
    end: (trailer) => {
      const start = length
      const missing = offsets.findIndex(Number.isNaN)
      if (missing >= 0) throw new Error(`Object ${missing} was reserved and not written`)
      writeText(`xref\n0 ${offsets.length}\n0000000000 65535 f \n`)
      writeText(offsets.slice(1).map(tableRow).join(''))
      const entries = Object.entries(trailer).map(([key, value]) => `/${key} ${value}`)
      writeText(`trailer\n<<\n/Size ${offsets.length}\n${entries.join('\n')}\n>>\n`)
      writeText(`startxref\n${start}\n%%EOF\n`)
      return length
    },
  }
}

/** A row of the table has exactly 20 bytes. */
function tableRow(offset: number): string {
  return `${String(offset).padStart(10, '0')} 00000 n \n`
}

function bytesOf(object: PDFObject): Uint8Array {
  const bytes = new Uint8Array(object.sizeInBytes())
  object.copyBytesInto(bytes, 0)
  return bytes
}
