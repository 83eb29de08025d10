import { type ComponentType, type ReactNode, useEffect, useState } from 'react'
import { Loading } from './loading.tsx'

/** A component whose program is downloaded when it is needed first. */
export interface Part<Props> {
  (props: Props): ReactNode
  /** Downloads the program before the component is shown. If this fails, showing it tries again. */
  preload(): Promise<void>
}

/**
 * Splits a component from the program of the first page. In contrast to `lazy` of React, a part that is there is shown
 * at once: React shows what replaces a fallback only 300 ms after that fallback.
 *
 * @param load imports the module of the component
 * @param name its name in the module
 * @param fallback is shown until the component is there
 */
export function part<Name extends string, Props extends object>(
  load: () => Promise<Readonly<Record<Name, ComponentType<Props>>>>,
  name: Name,
  fallback: ReactNode = <Loading />,
): Part<Props> {
  let loaded: ComponentType<Props> | undefined
  const preload = async (): Promise<void> => {
    loaded ??= (await load())[name]
  }
  // biome-ignore lint/correctness/noComponentHookFactories: modules create their parts once
  function Shown(props: Props) {
    const [, update] = useState({})
    useEffect(() => {
      preload().then(
        () => update({}),
        (error: unknown) =>
          update(() => {
            throw error
          }),
      )
    }, [])
    const Loaded = loaded
    return Loaded === undefined ? fallback : <Loaded {...props} />
  }
  return Object.assign(Shown, { preload })
}
