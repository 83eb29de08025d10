import { faceFinder } from './fonts/find-face.ts'
import type { FontFace, TextDirection } from './fonts/font-book.ts'
import { graphemesOf, isOneUnitEach } from './unicode/graphemes.ts'
import type { PreparedParagraph } from './unicode/prepare-text.ts'
import { COMMON, isJoining, kindOf } from './unicode/scripts.ts'

/**
 * A part of a paragraph that is shaped and drawn in one call: a word, or a run of equal blanks. A unit has one
 * direction, one font file and one script, so that every shaper gives the same result for its text. Browsers and Skia
 * would split longer texts by rules of their own.
 */
export interface TextUnit {
  start: number
  end: number
  level: number
  /** The font file; undefined if no font has the character. Without a font file, the unit has one character. */
  face: FontFace | undefined
  isBlank: boolean
  /** Whether the text is Han, kana or their punctuation. Each of their punctuation marks is a unit by itself. */
  isSolid: boolean
  isSpaced: boolean
}

const ASCII = /^[ -~]*$/

export function directionOf(level: number): TextDirection {
  return level % 2 === 1 ? 'rtl' : 'ltr'
}

/** Splits a paragraph into units, in logical order. Letter spacing applies to all letters that do not join. */
export function itemize(paragraph: PreparedParagraph, faces: readonly FontFace[], isSpaced: boolean): TextUnit[] {
  const [first] = faces
  if (first !== undefined && ASCII.test(paragraph.text) && faceFinder(faces).firstHasAscii) {
    return itemizeAscii(paragraph, first, isSpaced)
  }
  const units = itemizeAny(paragraph, faces)
  if (isSpaced) markSpaced(paragraph.text, units)
  return units
}

function itemizeAscii({ text, levels }: PreparedParagraph, face: FontFace, isSpaced: boolean): TextUnit[] {
  const units: TextUnit[] = []
  let start = 0
  while (start < text.length) {
    const isBlank = text.charCodeAt(start) === 0x20
    let end = start + 1
    while (end < text.length && (text.charCodeAt(end) === 0x20) === isBlank && levels?.[end] === levels?.[start]) end++
    units.push({ start, end, level: levels?.[start] ?? 0, face, isBlank, isSolid: false, isSpaced })
    start = end
  }
  return units
}

/** A unit to which further characters may be added. */
interface OpenUnit extends TextUnit {
  script: number
  /** The code point of which a run of blanks consists; 0 for other units. */
  blank: number
  isOpen: boolean
}

function itemizeAny({ text, levels }: PreparedParagraph, faces: readonly FontFace[]): TextUnit[] {
  const finder = faceFinder(faces)
  const units: OpenUnit[] = []
  let last: OpenUnit | undefined

  function add(start: number, end: number, codePoint: number, isSequence: boolean): void {
    const kind = kindOf(codePoint)
    const blank = kind.isBlank && !isSequence ? codePoint : 0
    const level = levels === undefined ? 0 : (levels[start] ?? 0)
    const before = last?.face
    let face: FontFace | undefined
    // Blanks are separate units, so that they do not change the shape of the letters beside them.
    if (blank !== 0) face = finder.forBlank(blank, before)
    else if (isSequence) face = finder.forSequence(text.slice(start, end), before)
    else face = finder.forCharacter(codePoint, before)
    const isOpen = face !== undefined && !kind.isSolidPunctuation
    if (
      last?.isOpen === true &&
      isOpen &&
      last.level === level &&
      last.face === face &&
      last.blank === blank &&
      last.isSolid === kind.isSolid &&
      (last.isSolid || last.script === kind.script || last.script === COMMON || kind.script === COMMON)
    ) {
      last.end = end
      if (last.script === COMMON) last.script = kind.script
      return
    }
    const { isSolid, script } = kind
    last = { start, end, level, face, isBlank: blank !== 0, isSolid, isSpaced: false, script, blank, isOpen }
    units.push(last)
  }

  if (isOneUnitEach(text)) {
    for (let i = 0; i < text.length; i++) add(i, i + 1, text.charCodeAt(i), false)
    return units
  }
  for (const { index, segment } of graphemesOf(text)) {
    const codePoint = segment.codePointAt(0) ?? 0
    add(index, index + segment.length, codePoint, segment.length > (codePoint > 0xffff ? 2 : 1))
  }
  return units
}

// Marks the units to which letter spacing applies. A blank is treated like the word before it.
function markSpaced(text: string, units: TextUnit[]): void {
  let before = true
  for (const unit of units) {
    if (!unit.isBlank) before = unit.face !== undefined && !isJoining(text.slice(unit.start, unit.end))
    unit.isSpaced = before && unit.face !== undefined
  }
}
