import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Context, Liquid, type LiquidOptions } from 'liquidjs'
import type { Log } from '../../platform/telemetry/log.ts'
import type { MailView } from './view.ts'

const BUILT_IN = join(import.meta.dirname, '../templates')

/**
 * Limits with which a faulty template of the shop fails instead of occupying the process. None is a time: on a busy
 * computer, templates without a fault would fail, too.
 */
const LIMITS = { parseLimit: 1_000_000, memoryLimit: 10_000_000 }

/** Maximum number of tags, values and texts between them that one template renders. Loops count in each round. */
const MAX_STEPS = 20_000

const OPTIONS: LiquidOptions = {
  ...LIMITS,
  jsTruthy: true,
  relativeReference: false,
  strictFilters: true,
  // A misspelled variable fails, so that the mail has the text of the service instead of a gap.
  strictVariables: true,
  lenientIf: true,
}

type Part = 'html' | 'txt' | 'subject.txt'

export interface RenderedMail {
  subject: string
  html: string
  text: string
}

export type RenderMail = (view: MailView) => Promise<RenderedMail>

/**
 * Creates the function that renders mails. Templates of the shop replace those of the service with the same names. If
 * one of them is broken, the mail has the content of the service, and the log states the error.
 *
 * @param dir folder with the templates of the shop, which are read for each mail
 */
export function createTemplates({ dir, log }: { dir: string | undefined; log: Log }): RenderMail {
  const builtIn = enginesIn([BUILT_IN], true)
  const own = dir === undefined ? undefined : enginesIn([dir, BUILT_IN], false)

  const render = async (part: Part, view: MailView, fallback: () => Promise<string>): Promise<string> => {
    if (dir === undefined || own === undefined) return fallback()
    const file = fileOf(dir, part, view)
    if (file === undefined) return fallback()
    try {
      const text = await renderFile(part === 'html' ? own.html : own.text, file, view)
      if (text.trim() === '') throw new Error('the template is empty')
      return text
    } catch (error) {
      log.error(
        { err: error, template: join(dir, file), kind: view.kind },
        'a mail template is broken and was not used',
      )
      return fallback()
    }
  }

  return async (given) => {
    const subject = oneLine(await render('subject.txt', given, async () => given.subject))
    const view = { ...given, subject }
    return {
      subject,
      html: await render('html', view, () => renderFile(builtIn.html, 'mail.html.liquid', view)),
      text: await render('txt', view, () => renderFile(builtIn.text, 'mail.txt.liquid', view)),
    }
  }
}

/**
 * Renders a template. Parts that it includes see the same variables.
 *
 * @throws if the template has an error, or renders more than `MAX_STEPS`
 */
function renderFile(engine: Liquid, file: string, view: MailView): Promise<string> {
  const context = new Context(view, engine.options, { globals: view }, { liquid: engine })
  let steps = 0
  context.renderLimit.check = () => {
    steps += 1
    if (steps > MAX_STEPS) throw new Error(`the template renders more than ${MAX_STEPS} tags, values and texts`)
  }
  return engine.renderFile(file, context)
}

function enginesIn(root: string[], cache: boolean): { html: Liquid; text: Liquid } {
  return {
    html: new Liquid({ ...OPTIONS, root, cache, outputEscape: 'escape' }),
    text: new Liquid({ ...OPTIONS, root, cache }),
  }
}

/** Chooses the most specific template. Undefined if the shop has none, and for subjects the service has none either. */
function fileOf(dir: string, part: Part, { kind, language }: MailView): string | undefined {
  const own = [`${kind}.${language}.${part}.liquid`, `${kind}.${part}.liquid`].find((name) =>
    existsSync(join(dir, name)),
  )
  // The general template of the service may include parts that the shop replaces.
  return own ?? (part === 'subject.txt' ? undefined : `mail.${part}.liquid`)
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim()
}
