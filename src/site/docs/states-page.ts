import type { DocPage } from '../doc-page.ts'
import { stateDiagram, type Transitions } from './state-diagram.ts'

/** State machines by the plural of what has the states, such as `orders`. */
export type Machines = Readonly<Record<string, Transitions>>

/** Shows the transition tables of the program as diagrams. */
export function statesPage(machines: Machines): DocPage {
  const names = Object.keys(machines)
  const parts = names.map((name) => {
    const title = name.charAt(0).toUpperCase() + name.slice(1)
    return `<section aria-labelledby="${name}"><h2 id="${name}">${title}</h2>${stateDiagram(name, machines[name] ?? {})}</section>`
  })
  const main = `<h1>States</h1><p>The states of records, and the events that lead from one state to the next. An event that a
state does not list is refused with status 409.</p>${parts.join('')}`
  const sections = names.map((name) => ({
    anchor: name,
    title: `States of ${name}`,
    words: Object.keys(machines[name] ?? {}).join(' '),
  }))
  return { path: '/docs/states', title: 'States', group: 'Rules', main, words: 'states transitions', sections }
}
