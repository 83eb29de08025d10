import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Type } from 'typebox'
import { publicRoute } from '../../platform/http/core/guard.ts'
import { isNotModified, sendNotModified } from '../../platform/http/responses/etag.ts'
import type { App } from '../../platform/http/server.ts'
import { listInstalledFamilies } from '../../rendering/index.ts'
import { designProblems } from '../problems.ts'
import { bytesOf, FontFileParams, FontFilesBody } from '../schemas.ts'

const tags = ['Designs']

let installed: ReturnType<typeof listInstalled> | undefined

/** Reads what the packages of fonts contain. They do not change while a process runs, so it is read once. */
function listInstalled() {
  const families = listInstalledFamilies()
  const paths = new Map(
    families.flatMap(({ release, styles, subsets, pathOf }) =>
      styles.flatMap(({ weight, style }) =>
        subsets.map(({ name }) => [`${release}/${name}-${weight}-${style}.woff`, pathOf(name, weight, style)]),
      ),
    ),
  )
  const listing = {
    data: families.map(({ family, category, release, styles, subsets }) => ({
      ...{ family, category },
      fileUrl: `/v1/fonts/files/${release}/{subset}-{weight}-{style}.woff`,
      styles: [...styles],
      subsets: subsets.map(({ name, scripts, ranges }) => ({
        ...{ name, scripts: [...scripts], ranges: ranges.map(([first, last]) => [first, last]) },
      })),
    })),
  }
  const etag = `"${createHash('sha256').update(JSON.stringify(listing)).digest('base64url')}"`
  return { paths, listing, etag }
}

/** Serves the installed font files, with which an editor in a browser lays out and draws texts as they are printed. */
export function fontFileRoutes(app: App): void {
  installed ??= listInstalled()
  const { paths, listing, etag } = installed

  app.get(
    '/fonts/files',
    {
      onRequest: publicRoute,
      config: { sets: ['ETag'] },
      schema: {
        operationId: 'listFontFiles',
        tags,
        summary: 'List the files of the installed fonts',
        description:
          'For editors that lay out text exactly as it is printed. Families, styles and subsets are in the order in which layout tries their files for a character. A family has a file for each style and subset. `GET /fonts/uploads` lists the files that the caller uploaded.',
        response: { 200: FontFilesBody, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      reply.header('Cache-Control', 'public, no-cache')
      return isNotModified(request, reply, etag) ? sendNotModified(reply) : listing
    },
  )

  app.get(
    '/fonts/files/:release/:file',
    {
      onRequest: publicRoute,
      // A text in several scripts needs many files at once.
      config: { sets: ['ETag'], countedAs: 'links' },
      schema: {
        operationId: 'getFontFile',
        problems: [designProblems.font_file_not_found],
        tags,
        summary: 'Download a file of an installed font',
        description:
          'Returns the file that layout and rendering use, in WOFF 1.0. Clients may cache it forever. After an upgrade, the files of earlier releases are 404, and the client lists the files again.',
        params: FontFileParams,
        response: { 200: bytesOf('The font file.', 'font/woff'), 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const { release, file } = request.params
      const path = paths.get(`${release}/${file}`)
      if (path === undefined) throw designProblems.font_file_not_found()
      reply.header('Cache-Control', 'public, max-age=31536000, immutable')
      if (isNotModified(request, reply, `"${release}/${file}"`)) return sendNotModified(reply)
      // A stream holds a small part of the file while the client reads slowly.
      const { size } = await stat(path)
      return reply.type('font/woff').header('Content-Length', size).send(createReadStream(path))
    },
  )
}
