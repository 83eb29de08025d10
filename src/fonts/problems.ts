import { Type } from 'typebox'
import { defineProblems } from '../platform/problem.ts'

export const fontProblems = defineProblems({
  // This is also the response for fonts of other accounts, so that a caller cannot probe ids.
  font_not_found: {
    status: 404,
    title: 'Font not found',
    ofAccount: true,
    help: 'No font of the caller has this id. `GET /fonts` lists the fonts of the caller. Operators who act for a customer send `Platen-Customer`; without it, they reach only the fonts of their own account.',
  },
  font_in_use: {
    status: 409,
    title: 'Font in use by a finalized design',
    help: 'Archive every finalized design that uses the font, then delete it.',
  },
  too_many_fonts: {
    status: 409,
    title: 'Too many fonts in the account (limit 200 fonts, 256 MiB unpacked)',
    members: {
      limit: Type.Optional(Type.Integer({ description: 'The largest number of fonts.' })),
      usedBytes: Type.Optional(Type.Integer()),
      limitBytes: Type.Optional(Type.Integer()),
    },
    help: '`limit` states how many fonts are allowed, `limitBytes` their total size, unpacked. Delete fonts that are no longer needed.',
  },
  font_type_unsupported: {
    status: 422,
    title: 'Unsupported font type',
    help: 'Upload a TrueType or OpenType font with outlines, plain or as WOFF or WOFF2. Collections, bitmap fonts and colour fonts are not supported. The service detects the type from the content, not by the file name or the declared media type.',
  },
  font_unreadable: {
    status: 422,
    title: 'Font unreadable',
    help: 'The file is empty, truncated or damaged. Get it again from its source and repeat the upload.',
  },
  font_too_large: {
    status: 422,
    title: 'Font too large',
    help: 'A font may have up to 30 MiB unpacked, and rendering with it must fit in a limited amount of memory.',
  },
  font_too_complex: {
    status: 422,
    title: 'Text layout with the font takes too long',
    help: 'The GSUB and GPOS rules of the font make the layout of long texts too slow. Use a version of the font with simpler rules, or another font.',
  },
  font_embedding_not_allowed: {
    status: 422,
    title: 'Font licence forbids embedding',
    help: 'The font forbids embedding (OS/2 fsType, restricted licence), but a print file embeds the fonts that it uses. Ask the maker for another version, or use another font.',
  },
  font_subsetting_not_allowed: {
    status: 422,
    title: 'Font licence forbids subsetting',
    help: 'The font forbids subsetting (OS/2 fsType), but print files embed only the letters that they use. Ask the maker for another version, or use another font.',
  },
  font_outline_embedding_not_allowed: {
    status: 422,
    title: 'Font licence allows bitmap embedding only',
    help: 'The font forbids embedding of outlines (OS/2 fsType, bitmap embedding only), but print files need them. Ask the maker for another version, or use another font.',
  },
})
