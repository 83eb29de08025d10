import { type PDFContext, type PDFDict, PDFName, PDFNumber, PDFRawStream } from '@cantoo/pdf-lib'
import type { PrintImage } from '../images/print-image.ts'
import type { ColorSpaces } from './color-spaces.ts'
import { PLACEHOLDER_HEIGHT, placeholderIndex } from './placeholder-images.ts'

/**
 * Replaces the placeholder images by the original images.
 *
 * @param images original images, in the order of the placeholder images
 */
export function replacePlaceholderImages(
  context: PDFContext,
  images: readonly PrintImage[],
  colors: ColorSpaces,
): void {
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFRawStream) || object.dict.get(PDFName.of('Subtype')) !== PDFName.of('Image')) continue
    const image = images[placeholderIndex(numberIn(object.dict, 'Width'))]
    if (image === undefined || numberIn(object.dict, 'Height') !== PLACEHOLDER_HEIGHT) {
      throw new Error('The PDF contains an image that is not a placeholder image')
    }
    context.assign(ref, imageObject(context, image, colors))
  }
}

function numberIn(dict: PDFDict, key: string): number {
  return dict.lookup(PDFName.of(key), PDFNumber).asNumber()
}

/** Builds an image object (image XObject, ISO 32000-1, section 8.9.5). */
function imageObject(context: PDFContext, image: PrintImage, colors: ColorSpaces): PDFRawStream {
  const { icc, components, alpha } = image
  const object = pixelObject(context, image, image.encoding)
  const plain = components === 1 ? colors.gray() : colors.srgb
  object.dict.set(PDFName.of('ColorSpace'), icc === undefined ? plain : colors.of(icc, components))
  if (alpha !== undefined) {
    const mask = pixelObject(context, alpha, 'png-rows')
    mask.dict.set(PDFName.of('ColorSpace'), PDFName.of('DeviceGray'))
    object.dict.set(PDFName.of('SMask'), context.register(mask))
  }
  return object
}

type Pixels = Pick<PrintImage, 'bytes' | 'widthPx' | 'heightPx' | 'components'>

function pixelObject(context: PDFContext, image: Pixels, encoding: PrintImage['encoding']): PDFRawStream {
  const compression =
    encoding === 'jpeg'
      ? { Filter: 'DCTDecode' }
      : {
          Filter: 'FlateDecode',
          DecodeParms: { Predictor: 15, Colors: image.components, BitsPerComponent: 8, Columns: image.widthPx },
        }
  return context.stream(image.bytes, {
    Type: 'XObject',
    Subtype: 'Image',
    Width: image.widthPx,
    Height: image.heightPx,
    BitsPerComponent: 8,
    ...compression,
  })
}
