/** Variables of the commands for developers of clients. A service in the same environment ignores them. */
export const CLIENT_VARIABLES = ['PLATEN_API_KEY', 'PLATEN_URL', 'PLATEN_PROFILE'] as const

export interface ClientVariables {
  /** API key that takes precedence over profiles. */
  apiKey: string | undefined
  /** Origin of the service. */
  url: string | undefined
  /** Name of the profile. */
  profile: string | undefined
  /** Folder of the configuration files of a user, according to the XDG Base Directory Specification. */
  configHome: string | undefined
}

/**
 * Returns the folder in which the user ran `npm run platen`, because npm changes to the folder of Platen. Other scripts
 * that run the program choose its folder themselves.
 */
export function folderOfUser(env: Readonly<Record<string, string | undefined>> = process.env): string | undefined {
  return env['npm_lifecycle_event'] === 'platen' ? env['INIT_CWD'] : undefined
}

export function readClientVariables(env: Readonly<Record<string, string | undefined>> = process.env): ClientVariables {
  const { PLATEN_API_KEY: apiKey, PLATEN_URL: url, PLATEN_PROFILE: profile, XDG_CONFIG_HOME: configHome } = env
  return { apiKey, url, profile, configHome }
}
