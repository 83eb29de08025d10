import type { Engine } from './engine.ts'
import type { FontSource } from './fonts/font-source.ts'

export type { CaretStop, TextFlow, TextLayout, TextRect } from '@platen/drawing/engine'
export type { Drawn, PageImage, PlacementInput } from './draw-placement.ts'
export type { CheckInput, Engine } from './engine.ts'
export type { FontProblem } from './fonts/font-files.ts'
export { type FontSource, fontSource, type SourceFile } from './fonts/font-source.ts'
export type { PageFonts } from './fonts/page-fonts.ts'

/**
 * Loads layout, checks and drawing, which are a large part of the editor, and lists the fonts.
 * @throws if the script or the list of fonts cannot be downloaded
 */
export async function loadEngine(source: FontSource): Promise<Engine> {
  // A module whose evaluation has failed stays unusable. That of the engine waits for HarfBuzz, so HarfBuzz comes first.
  await import('harfbuzzjs')
  const { createEngine } = await import('./engine.ts')
  return createEngine(source)
}
