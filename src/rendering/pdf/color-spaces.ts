import { type PDFContext, PDFDict, PDFName, PDFRawStream, type PDFRef } from '@cantoo/pdf-lib'
import { GRAY_PROFILE, SRGB_PROFILE } from '../color/srgb.ts'

/** The colour spaces of one PDF. The PDF contains each profile once. */
export type ColorSpaces = {
  /** Returns an ICCBased colour space (ISO 32000-1, section 8.6.5.5) with the given profile. */
  of(profile: Buffer, components: 1 | 3): PDFRef
  srgb: PDFRef
  /** Returns the grey colour space. The first call writes it to the PDF. */
  gray(): PDFRef
}

export function createColorSpaces(context: PDFContext): ColorSpaces {
  const written = new Map<string, PDFRef>()
  const of = (profile: Buffer, components: 1 | 3) => {
    const key = profile.toString('latin1')
    const known = written.get(key)
    if (known !== undefined) return known
    const stream = context.register(context.flateStream(profile, { N: components }))
    const space = context.register(context.obj([PDFName.of('ICCBased'), stream]))
    written.set(key, space)
    return space
  }
  return { of, srgb: of(SRGB_PROFILE, 3), gray: () => of(GRAY_PROFILE, 1) }
}

/**
 * Declares that the RGB values of all content streams are sRGB (DefaultRGB, ISO 32000-1, section 8.6.5.6). Without this
 * declaration, PDF/X interprets them as colours of the output device. Groups that blend in RGB then blend in sRGB.
 */
export function tagDeviceColors(context: PDFContext, { srgb }: ColorSpaces): void {
  for (const [, object] of context.enumerateIndirectObjects()) {
    const dict = object instanceof PDFRawStream ? object.dict : object
    if (!(dict instanceof PDFDict)) continue
    const resources = dict.lookupMaybe(PDFName.of('Resources'), PDFDict)
    if (resources !== undefined) {
      const spaces = resources.lookupMaybe(PDFName.of('ColorSpace'), PDFDict) ?? context.obj({})
      spaces.set(PDFName.of('DefaultRGB'), srgb)
      resources.set(PDFName.of('ColorSpace'), spaces)
    }
    const group = dict.lookupMaybe(PDFName.of('Group'), PDFDict)
    if (group?.get(PDFName.of('CS')) === PDFName.of('DeviceRGB')) group.set(PDFName.of('CS'), srgb)
  }
}
