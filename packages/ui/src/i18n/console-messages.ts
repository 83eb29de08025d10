import type { MessageFiles, MessageGroup, Texts } from './messages.ts'

/** The groups of the console. `addMessages` takes them. */
export const CONSOLE_MESSAGES: Partial<Record<MessageGroup, MessageFiles>> = {
  console: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=console' }),
  consolePeople: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=consolePeople' }),
  consoleProduction: import.meta.glob<Texts>('../../messages/*.json', {
    import: 'default',
    query: '?group=consoleProduction',
  }),
  consoleNewOrder: import.meta.glob<Texts>('../../messages/*.json', {
    import: 'default',
    query: '?group=consoleNewOrder',
  }),
  consoleCatalogue: import.meta.glob<Texts>('../../messages/*.json', {
    import: 'default',
    query: '?group=consoleCatalogue',
  }),
  consoleSettings: import.meta.glob<Texts>('../../messages/*.json', {
    import: 'default',
    query: '?group=consoleSettings',
  }),
  consoleDevelopers: import.meta.glob<Texts>('../../messages/*.json', {
    import: 'default',
    query: '?group=consoleDevelopers',
  }),
  consoleCustomers: import.meta.glob<Texts>('../../messages/*.json', {
    import: 'default',
    query: '?group=consoleCustomers',
  }),
  consoleStorage: import.meta.glob<Texts>('../../messages/*.json', {
    import: 'default',
    query: '?group=consoleStorage',
  }),
  consoleHistory: import.meta.glob<Texts>('../../messages/*.json', {
    import: 'default',
    query: '?group=consoleHistory',
  }),
  consoleAudit: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=consoleAudit' }),
  consoleSystem: import.meta.glob<Texts>('../../messages/*.json', { import: 'default', query: '?group=consoleSystem' }),
}
