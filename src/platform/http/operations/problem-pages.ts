import { type Static, Type } from 'typebox'
import { type ProblemDefinition, problemCatalogue } from '../../problem.ts'
import type { App } from '../core/app-type.ts'
import { publicRoute } from '../core/guard.ts'
import { httpProblems } from '../core/problems.ts'

const Params = Type.Object({ code: Type.String() })

export function addProblemPages(app: App): void {
  const options = { onRequest: publicRoute, schema: { hide: true } }
  app.get('/problems', options, async (_request, reply) => reply.type('text/html; charset=utf-8').send(indexPage()))
  app.get('/problems/:code', { ...options, schema: { hide: true, params: Params } }, async (request, reply) => {
    const { code } = request.params as Static<typeof Params>
    const definitions = problemCatalogue().get(code)
    if (definitions === undefined) throw httpProblems.not_found()
    const title = definitions[0]?.title ?? code
    const body = `<h1><code>${escapeHtml(code)}</code></h1>${definitions.map(section).join('')}<p><a href="/problems">All problems</a></p>`
    return reply.type('text/html; charset=utf-8').send(page(title, body))
  })
}

const DEFAULT_HELP = 'The `detail` of the response states what is wrong with the request.'

function section({ title, status, help = DEFAULT_HELP }: ProblemDefinition): string {
  return `<h2>${escapeHtml(title)}</h2><p>Status ${status}. ${inlineCode(escapeHtml(help))}</p>`
}

function indexPage(): string {
  const rows = [...problemCatalogue()]
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([code, definitions]) => definitions.map((definition) => row(code, definition)))
  return page(
    'Problems',
    `<h1>Problems</h1><table><tr><th>Code</th><th>Status</th><th>Meaning</th></tr>${rows.join('')}</table>`,
  )
}

function row(code: string, { status, title }: ProblemDefinition): string {
  return `<tr><td><a href="/problems/${code}"><code>${code}</code></a></td><td>${status}</td><td>${escapeHtml(title)}</td></tr>`
}

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="base-uri 'none'; object-src 'none'; form-action 'self'"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)} - Platen</title></head><body>${body}</body></html>`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}

function inlineCode(text: string): string {
  return text.replaceAll(/`([^`]+)`/g, '<code>$1</code>')
}
