export type Context2D = CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D

/** Calls `draw` with a context that draws texts and images as exactly as the browser can. */
export function withExactText<Result>(context: Context2D, draw: () => Result): Result {
  // Otherwise browsers may move letters to whole pixels and change their shape for the screen.
  context.textRendering = 'geometricPrecision'
  context.imageSmoothingEnabled = true
  context.imageSmoothingQuality = 'high'
  // An own property hides the method of the prototype until it is deleted.
  context.fillText = (text, x, y) => fillTextBetweenPixels(context, text, x, y)
  try {
    return draw()
  } finally {
    delete (context as Partial<Context2D>).fillText
  }
}

/** Skia, which draws for Chromium, rounds transforms of text to 1/1024, so it takes a smaller component for 0. */
const NEARLY_ZERO = 1 / 2048
/** The distance from the start of a word at which tilting does not move it: about its middle, in units of the font. */
const PIVOT = 200

/**
 * Draws a text where it belongs. Browsers move the baseline of upright text to whole pixels, but not that of tilted text.
 * Therefore the text is tilted, by about a twentieth of a pixel at the ends of a word.
 */
function fillTextBetweenPixels(context: Context2D, text: string, x: number, y: number): void {
  const { fillText } = Object.getPrototypeOf(context) as Context2D
  const { a, b, c, d } = context.getTransform()
  if (Math.abs(a) > NEARLY_ZERO && Math.abs(b) > NEARLY_ZERO) {
    fillText.call(context, text, x, y)
    return
  }
  const tilt = (1.05 * NEARLY_ZERO) / Math.hypot(c, d)
  context.save()
  context.transform(1, tilt, 0, 1, 0, -PIVOT * tilt)
  fillText.call(context, text, x, y)
  context.restore()
}
