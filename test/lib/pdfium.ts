import { PDFiumLibrary } from '@hyzyla/pdfium'

/** A part of a page, in points from the top left of the page. */
export interface PageBox {
  x: number
  y: number
  width: number
  height: number
}

export interface Raster {
  width: number
  height: number
  /** RGBA samples of the page on white, with rows from top to bottom. */
  data: Uint8Array
}

export interface PageChar {
  char: string
  /**
   * The position of the character: the start of the text with which it was drawn or marked, in points from the bottom
   * left of the page.
   */
  x: number
  y: number
}

/** A PDF opened with PDFium, the PDF reader of Chromium. It shares no code with the renderer. */
export interface OpenPdf {
  pageCount: number
  /** Draws a part of a page at the given size. Each pixel is the mean of nine samples. */
  rasterize(page: number, box: PageBox, size: { widthPx: number; heightPx: number }): Raster
  /**
   * Lists the characters that a reader copies from a page, in the order of the reader. ActualText replaces the drawn
   * characters.
   */
  chars(page: number): PageChar[]
  close(): void
}

// The functions of PDFium by their C names. The types of the package lack them.
interface Module {
  HEAPU8: Uint8Array
  wasmExports: { malloc(bytes: number): number; free(at: number): void }
  _FPDF_LoadMemDocument(at: number, bytes: number, password: number): number
  _FPDF_CloseDocument(document: number): void
  _FPDF_GetPageCount(document: number): number
  _FPDF_LoadPage(document: number, index: number): number
  _FPDF_ClosePage(page: number): void
  _FPDF_GetPageHeightF(page: number): number
  _FPDFBitmap_CreateEx(width: number, height: number, format: number, at: number, stride: number): number
  _FPDFBitmap_FillRect(bitmap: number, left: number, top: number, width: number, height: number, color: number): void
  _FPDFBitmap_Destroy(bitmap: number): void
  _FPDF_RenderPageBitmapWithMatrix(bitmap: number, page: number, matrix: number, clip: number, flags: number): void
  _FPDFText_LoadPage(page: number): number
  _FPDFText_ClosePage(text: number): void
  _FPDFText_CountChars(text: number): number
  _FPDFText_GetUnicode(text: number, index: number): number
  _FPDFText_IsGenerated(text: number, index: number): number
  _FPDFText_GetMatrix(text: number, index: number, matrix: number): number
}

const BGRX = 3
const WHITE = 0xffffffff
const REVERSE_BYTE_ORDER = 0x10

let library: Promise<PDFiumLibrary> | undefined

/** Opens a PDF. The caller must close it, because its memory is not freed otherwise. */
export async function openPdf(bytes: Uint8Array): Promise<OpenPdf> {
  library ??= PDFiumLibrary.init()
  const module = (await library)['module'] as unknown as Module
  const at = module.wasmExports.malloc(bytes.length)
  module.HEAPU8.set(bytes, at)
  const document = module._FPDF_LoadMemDocument(at, bytes.length, 0)
  if (document === 0) throw new Error('PDFium cannot read the file')
  return {
    pageCount: module._FPDF_GetPageCount(document),
    rasterize: (index, box, size) =>
      withPage(module, document, index, (page) => rasterizeFinely(module, page, box, size)),
    chars: (index) => withPage(module, document, index, (page) => readChars(module, page)),
    close() {
      module._FPDF_CloseDocument(document)
      module.wasmExports.free(at)
    },
  }
}

function withPage<T>(module: Module, document: number, index: number, work: (page: number) => T): T {
  const page = module._FPDF_LoadPage(document, index)
  if (page === 0) throw new RangeError(`PDFium finds no page ${index}`)
  try {
    return work(page)
  } finally {
    module._FPDF_ClosePage(page)
  }
}

// The number of samples per pixel along each axis. PDFium moves small letters to whole pixels, which at this resolution
// is by at most a sixth of a pixel of the result.
const FINENESS = 3

function rasterizeFinely(
  module: Module,
  page: number,
  box: PageBox,
  size: { widthPx: number; heightPx: number },
): Raster {
  const { widthPx: width, heightPx: height } = size
  const fine = rasterize(module, page, box, { widthPx: width * FINENESS, heightPx: height * FINENESS })
  const data = new Uint8Array(width * height * 4).fill(255)
  const samples = fine.data
  const [step, row] = [FINENESS * 4, fine.width * 4]
  for (let y = 0, at = 0; y < height; y += 1) {
    for (let x = 0, from = y * FINENESS * row; x < width; x += 1, from += step, at += 4) {
      let [red, green, blue] = [0, 0, 0]
      for (let line = from; line < from + FINENESS * row; line += row) {
        for (let sample = line; sample < line + step; sample += 4) {
          red += samples[sample] ?? 0
          green += samples[sample + 1] ?? 0
          blue += samples[sample + 2] ?? 0
        }
      }
      data[at] = red / FINENESS ** 2
      data[at + 1] = green / FINENESS ** 2
      data[at + 2] = blue / FINENESS ** 2
    }
  }
  return { width, height, data }
}

function rasterize(module: Module, page: number, box: PageBox, size: { widthPx: number; heightPx: number }): Raster {
  const { widthPx: width, heightPx: height } = size
  const bytes = width * height * 4
  const pixels = module.wasmExports.malloc(bytes)
  const numbers = module.wasmExports.malloc(40)
  try {
    const bitmap = module._FPDFBitmap_CreateEx(width, height, BGRX, pixels, width * 4)
    module._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE)
    const [scaleX, scaleY] = [width / box.width, height / box.height]
    // The first six values are an FS_MATRIX from points, counted from the top left of the page, to pixels. The last
    // four are an FS_RECTF: the drawn part in pixels.
    const values = [scaleX, 0, 0, scaleY, -box.x * scaleX, -box.y * scaleY, 0, 0, width, height]
    new Float32Array(module.HEAPU8.buffer, numbers, values.length).set(values)
    module._FPDF_RenderPageBitmapWithMatrix(bitmap, page, numbers, numbers + 24, REVERSE_BYTE_ORDER)
    module._FPDFBitmap_Destroy(bitmap)
    return { width, height, data: module.HEAPU8.slice(pixels, pixels + bytes) }
  } finally {
    module.wasmExports.free(numbers)
    module.wasmExports.free(pixels)
  }
}

function readChars(module: Module, page: number): PageChar[] {
  const text = module._FPDFText_LoadPage(page)
  const matrix = module.wasmExports.malloc(24)
  const chars: PageChar[] = []
  for (let index = 0; index < module._FPDFText_CountChars(text); index += 1) {
    // PDFium inserts blanks and line ends at gaps. These characters are generated and not in the file.
    if (module._FPDFText_IsGenerated(text, index) === 1) continue
    // GetCharOrigin is not suitable: for marked text in a form, it returns the position within the form.
    module._FPDFText_GetMatrix(text, index, matrix)
    const [, , , , x = Number.NaN, y = Number.NaN] = new Float32Array(module.HEAPU8.buffer, matrix, 6)
    chars.push({ char: String.fromCodePoint(module._FPDFText_GetUnicode(text, index)), x, y })
  }
  module.wasmExports.free(matrix)
  module._FPDFText_ClosePage(text)
  return chars
}
