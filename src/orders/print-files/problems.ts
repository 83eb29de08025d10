import { Type } from 'typebox'
import { defineProblems } from '../../platform/problem.ts'
import { faultMembers } from './faults.ts'

export const printFileProblems = defineProblems({
  print_files_unavailable: {
    status: 409,
    title: 'Print files of the orders not complete',
    statesErrors: true,
    members: faultMembers,
    help: '`errors` names every order and item at fault. Nothing is left out of a download: repeat the request without these orders, or after the fault was corrected.',
  },
  print_files_too_large: {
    status: 422,
    title: 'Print files too large for one download',
    members: {
      bytes: Type.Integer({ description: 'Size of the print files.' }),
      maxBytes: Type.Integer(),
      pages: Type.Optional(Type.Integer()),
      maxPages: Type.Optional(Type.Integer()),
    },
    help: 'Split the orders into several downloads. A PDF has a lower limit than an archive.',
  },
})
