import { resolve } from 'node:path'
import { folderOfUser } from '../../config/client-variables.ts'

/** Returns the path of a file that the user named in the command line. */
export function userPath(path: string): string {
  const folder = folderOfUser()
  return folder === undefined ? path : resolve(folder, path)
}
