import { defineProblems } from '../platform/problem.ts'

/** Every error this feature shows a client. */
export const assetProblems = defineProblems({
  // Also the answer for another person's asset, so that ids cannot be probed.
  asset_not_found: { status: 404, title: 'No such asset' },
  asset_in_use: {
    status: 409,
    title: 'A finalized design uses the asset',
    help: 'The asset can be deleted when every finalized design that uses it has been archived.',
  },
  asset_type_unsupported: {
    status: 422,
    title: 'The file is not of a supported type',
    help: 'JPEG, PNG, WebP and TIFF images are supported. The content decides, not the name or the declared media type.',
  },
  asset_unreadable: {
    status: 422,
    title: 'The image cannot be decoded',
    help: 'The file is empty, cut short or damaged. Export it again and repeat the upload.',
  },
  asset_too_large: {
    status: 422,
    title: 'The image has too many pixels',
    help: 'Images may have up to 100 megapixels, fewer where `detail` says so. Scale the image down and repeat the upload.',
  },
})
