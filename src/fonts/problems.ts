import { defineProblems } from '../platform/problem.ts'

/** Every error this feature shows a client. */
export const fontProblems = defineProblems({
  // Also the answer for another person's font, so that ids cannot be probed.
  font_not_found: { status: 404, title: 'No such font' },
  font_in_use: {
    status: 409,
    title: 'A finalized design uses the font',
    help: 'The font can be deleted when every finalized design that uses it has been archived.',
  },
  too_many_fonts: {
    status: 409,
    title: 'Too many fonts in the account (limit 200 fonts, 256 MiB unpacked)',
    help: '`limit` says how many fonts are allowed, `limitBytes` how many bytes they may have together, unpacked. Delete fonts that are no longer needed.',
  },
  font_type_unsupported: {
    status: 422,
    title: 'The file is not a font of a supported kind',
    help: 'TrueType and OpenType fonts with outlines are supported, bare or as WOFF and WOFF2. Collections, bitmap and colour fonts are not. The content decides, not the name or the declared media type.',
  },
  font_unreadable: {
    status: 422,
    title: 'The font cannot be read',
    help: 'The file is empty, cut short or damaged. Get it again from where it came and repeat the upload.',
  },
  font_too_large: {
    status: 422,
    title: 'The font is too large',
    help: 'A font may have up to 30 MiB unpacked, and drawing with it must fit in a limited amount of memory.',
  },
  font_too_complex: {
    status: 422,
    title: 'Setting text in the font takes too long',
    help: 'The rules of the font for joining, replacing and moving letters (GSUB and GPOS) make long texts too slow to set. Use a version of the font with simpler rules, or another font.',
  },
  font_embedding_not_allowed: {
    status: 422,
    title: 'The font may not be embedded in documents',
    help: 'Its maker has marked it so (OS/2 fsType, restricted licence). A print file carries the fonts it uses, so it cannot be printed with. Ask the maker for another version, or use another font.',
  },
  font_subsetting_not_allowed: {
    status: 422,
    title: 'The font may only be embedded as a whole',
    help: 'Its maker has marked it so (OS/2 fsType, no subsetting). Print files carry just the letters they use. Ask the maker for another version, or use another font.',
  },
  font_outline_embedding_not_allowed: {
    status: 422,
    title: 'Only bitmaps of the font may be embedded',
    help: 'Its maker has marked it so (OS/2 fsType, bitmap embedding only). Print files need its outlines. Ask the maker for another version, or use another font.',
  },
})
