import { defineProblems } from '../platform/problem.ts'

export const orderMailProblems = defineProblems({
  mail_not_found: { status: 404, title: 'Mail not found', help: '`GET /mail-previews` lists the mails.' },
})
