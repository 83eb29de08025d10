import type { FontFiles, FontsResource } from '@platen/client'
import { readSfnt } from './read-sfnt.ts'

/** A font file of the service, with what layout needs to know before it is downloaded. */
export interface SourceFile {
  /** Unique among the files of the source. */
  key: string
  family: string
  weight: number
  style: 'normal' | 'italic'
  /** ISO 15924 codes. */
  scripts: readonly string[]
  ranges: readonly (readonly [first: number, last: number])[]
  category?: string
  /** Downloads the file as TrueType or OpenType. */
  read(): Promise<Uint8Array<ArrayBuffer>>
}

/** Where the fonts of a design come from. */
export interface FontSource {
  /** Lists the installed files in the order in which layout tries them. */
  listInstalled(): Promise<readonly SourceFile[]>
  /** Lists the files that the caller uploaded, newest first. */
  listUploaded(): Promise<readonly SourceFile[]>
}

type FontCalls = Pick<FontsResource, 'listFiles' | 'getFile' | 'listUploaded' | 'getContent'>

/** Returns the fonts of a service: `fontSource(platen.fonts)`. */
export function fontSource(fonts: FontCalls): FontSource {
  return {
    async listInstalled() {
      const { data } = await fonts.listFiles()
      return data.flatMap((family) => installedFiles(family, fonts))
    },
    async listUploaded() {
      const files: SourceFile[] = []
      for await (const { id, sha256, family, weight, style } of fonts.listUploaded({ limit: 100 })) {
        const read = async () => readSfnt(await fonts.getContent(id))
        files.push({ key: sha256, family, weight, style, scripts: [], ranges: ALL, read })
      }
      return files
    },
  }
}

/** The ranges of uploaded files. The file itself determines which characters it has. */
const ALL = [[0, 0x10ffff]] as const

function installedFiles({ family, category, fileUrl, styles, subsets }: FontFiles, fonts: FontCalls): SourceFile[] {
  const [release = '', template = ''] = fileUrl.split('/').slice(-2)
  return styles.flatMap(({ weight, style }) =>
    subsets.map(({ name, scripts, ranges }): SourceFile => {
      const file = template.replace('{subset}', name).replace('{weight}', String(weight)).replace('{style}', style)
      const read = async () => readSfnt(await fonts.getFile(release, file))
      return { key: `${release}/${file}`, family, category, weight, style, scripts, ranges: toPairs(ranges), read }
    }),
  )
}

const pairs = new WeakMap<readonly (readonly number[])[], SourceFile['ranges']>()

/** Layout caches what it computes from ranges, so the files of a subset share them. */
function toPairs(ranges: readonly (readonly number[])[]): SourceFile['ranges'] {
  const known = pairs.get(ranges)
  if (known !== undefined) return known
  const created = ranges.map(([first = 0, last = 0]) => [first, last] as const)
  pairs.set(ranges, created)
  return created
}
