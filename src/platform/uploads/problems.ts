import { defineProblems } from '../problem.ts'

/** What can be wrong with an upload before anybody has looked at the file. */
export const uploadProblems = defineProblems({
  upload_malformed: {
    status: 400,
    title: 'The form data could not be read',
    help: 'Send `multipart/form-data` (RFC 7578) with one file part named `file`, or the bytes of the file as the body.',
  },
  upload_interrupted: { status: 400, title: 'The connection ended before the whole file had arrived' },
})
