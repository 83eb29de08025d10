/** The groups of the texts of the pages below others. The palette loads the pages' names, which only it needs, later. */
export const SUB_PAGE_TEXTS = [
  'consoleCatalogue',
  'consoleDevelopers',
  'consolePeople',
  'consoleSettings',
  'consoleSystem',
] as const
