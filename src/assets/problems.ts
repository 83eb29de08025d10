import { defineProblems } from '../platform/problem.ts'

export const assetProblems = defineProblems({
  // This is also the response for assets of other accounts, so that a caller cannot probe ids.
  asset_not_found: {
    status: 404,
    title: 'Asset not found',
    ofAccount: true,
    help: 'No asset of the caller has this id. `GET /assets` lists the assets of the caller. Operators who act for a customer send `Platen-Customer`; without it, they reach only the assets of their own account.',
  },
  asset_in_use: {
    status: 409,
    title: 'Asset in use by a finalized design',
    help: 'Archive every finalized design that uses the asset, then delete it.',
  },
  asset_type_unsupported: {
    status: 422,
    title: 'Unsupported image type',
    help: 'Upload a JPEG, PNG, WebP or TIFF image. The service detects the type from the content, not by the file name or the declared media type.',
  },
  asset_source_refused: {
    status: 422,
    title: 'URL not allowed as the source of an asset',
    help: 'The service fetches files from public hosts only, in production only over HTTPS. `detail` states what is wrong with the URL.',
  },
  asset_source_unavailable: {
    status: 422,
    title: 'File not available at its URL',
    help: 'The URL must respond with status 200 and the whole file within 60 seconds, without a credential. `detail` states what happened.',
  },
  asset_unreadable: {
    status: 422,
    title: 'Image cannot be decoded',
    help: 'The file is empty, truncated or damaged. Export it again and repeat the upload.',
  },
  asset_too_large: {
    status: 422,
    title: 'Image has too many pixels',
    help: 'Images may have up to 100 megapixels, or fewer if `detail` says so. Scale the image down and repeat the upload.',
  },
})
