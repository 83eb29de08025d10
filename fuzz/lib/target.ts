import type { Random } from './random.ts'

/** The stage of a check: the upload of a file, the preflight of a design that uses it, or drawing. */
export type Stage = 'upload' | 'preflight' | 'draw'

/** What a target gets to check an input. */
export type CheckContext = {
  /** An existing folder in which the check may write files. */
  dir: string
  /** Records the stage. If the process dies, the finding contains this stage. */
  enter(stage: Stage): void
}

/** A parser or decoder to test, including the code of the service that surrounds it. */
export type Target = {
  seeds: readonly Buffer[]
  /** Returns a changed copy of the input. `other` is another input of the population, from which parts may be taken. */
  mutate(random: Random, input: Buffer, other: Buffer): Buffer
  /**
   * Processes the input as the service does.
   *
   * @returns the outcome. An input with a new outcome joins the population
   * @throws if the service would respond with 500, or would accept the file and fail later
   */
  check(input: Buffer, context: CheckContext): Promise<string>
  /**
   * Performs a fixed job. Its result must stay the same while inputs are checked. A difference shows that memory was
   * damaged.
   */
  probe?(): Promise<string>
  /** The CPU time that one input may take, in milliseconds. */
  budgetMs: number
  /** Matches the URLs of the source files whose coverage guides the population. */
  covers: RegExp
}

export const TARGET_NAMES = ['fonts', 'woff2', 'images', 'icc', 'path'] as const
export type TargetName = (typeof TARGET_NAMES)[number]

export function isTargetName(name: string): name is TargetName {
  return (TARGET_NAMES as readonly string[]).includes(name)
}

/** Loads one target. The modules of other targets would only slow down the process. */
export async function loadTarget(name: TargetName): Promise<Target> {
  switch (name) {
    case 'fonts':
      return (await import('../targets/fonts.ts')).fonts()
    case 'woff2':
      return (await import('../targets/fonts.ts')).woff2()
    case 'images':
      return (await import('../targets/images.ts')).images()
    case 'icc':
      return (await import('../targets/icc.ts')).icc()
    case 'path':
      return (await import('../targets/path.ts')).path()
  }
}
