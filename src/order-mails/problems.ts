import { defineProblems } from '../platform/problem.ts'

export const orderMailProblems = defineProblems({
  mail_not_found: { status: 404, title: 'Mail not found', help: '`GET /mail-previews` lists the mails.' },
  mail_text_invalid: {
    status: 422,
    title: 'Mail text not possible',
    help: 'Each member of `errors` names a `placeholder` that the mail does not have, or braces without one. `GET /mail-texts/{kind}/{language}` lists the placeholders. Nothing was changed.',
  },
})
