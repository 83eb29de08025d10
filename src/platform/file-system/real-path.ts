import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

/**
 * Resolves the symbolic links in a path. The last parts of the path need not exist yet.
 *
 * @throws the error of the system, which names a link that leads nowhere
 */
export async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    const target = await readlink(path).catch(() => undefined)
    if (target !== undefined) {
      const message = `${path} is a symbolic link to ${target}, which does not exist`
      throw Object.assign(new Error(message), { code: 'ENOENT', syscall: 'realpath' })
    }
    return join(await realPathOf(dirname(path)), basename(path))
  }
}

/** Tells whether a path is a folder or in this folder, also if symbolic links lead there. */
export async function isInside(path: string, folder: string): Promise<boolean> {
  const [inner, outer] = await Promise.all([realPathOf(path), realPathOf(folder)])
  return join(inner, '/').startsWith(join(outer, '/'))
}
