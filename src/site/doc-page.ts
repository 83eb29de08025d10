/** A page of the documentation, without the frame that all pages share. */
export interface DocPage {
  path: string
  title: string
  /** Heading under which the navigation lists the page. */
  group: string
  /** HTML with the `h1`. */
  main: string
  /** What the search finds besides the title. */
  words: string
  /** Parts of the page that the search finds by themselves. */
  sections?: readonly DocSection[]
}

export interface DocSection {
  anchor: string
  title: string
  words: string
}
