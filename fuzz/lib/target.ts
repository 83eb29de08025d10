import type { Random } from './random.ts'

/** Where in the life of a file a check stands: while it is uploaded, while a design is saved, or while it is drawn. */
export type Stage = 'upload' | 'preflight' | 'draw'

/** What a target does with one input. */
export type CheckContext = {
  /** An existing folder for files. */
  dir: string
  /** Records the stage, in case the process dies in it. */
  enter(stage: Stage): void
}

/** One parser or decoder, with all that the service does around it. */
export type Target = {
  seeds: readonly Buffer[]
  /** Returns a changed input. `other` is another input of the population. */
  mutate(random: Random, input: Buffer, other: Buffer): Buffer
  /**
   * Takes the input the way the service does.
   *
   * @returns the outcome; inputs with a new one join the population
   * @throws for what the service would answer with status 500, or would fail on after having accepted the file
   */
  check(input: Buffer, context: CheckContext): Promise<string>
  /** Does a known job. The result must stay the same while inputs are checked: a difference shows damaged memory. */
  probe?(): Promise<string>
  /** CPU time that one input may take, in milliseconds. */
  budgetMs: number
  /** Source files whose coverage guides the population, as a part of their URL. */
  covers: RegExp
}

export const TARGET_NAMES = ['fonts', 'woff2', 'images', 'icc', 'path'] as const
export type TargetName = (typeof TARGET_NAMES)[number]

export function isTargetName(name: string): name is TargetName {
  return (TARGET_NAMES as readonly string[]).includes(name)
}

/** Loads one target: those of others would only slow the process down. */
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
