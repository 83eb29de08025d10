import { defineProblems } from '../problem.ts'

/** Problems of an upload before its file is inspected. */
export const uploadProblems = defineProblems({
  upload_malformed: {
    status: 400,
    title: 'Malformed form data',
    help: 'Send `multipart/form-data` (RFC 7578) with one file part named `file`, or the bytes of the file as the body.',
  },
  upload_interrupted: {
    status: 400,
    title: 'Upload interrupted',
    help: 'The connection closed before the whole file arrived. Nothing was stored. Repeat the upload.',
  },
})

/** What every upload can end with. */
export const UPLOAD_PROBLEMS = Object.values(uploadProblems)
