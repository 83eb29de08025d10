/**
 * Moves the focus to the field of a value. A field that is not shown, such as one of another print area, has a place
 * that contains it, which gets the focus instead.
 *
 * @param pointer the place of the value in the product, as a JSON Pointer
 */
export function focusPlace(form: HTMLFormElement, pointer: string): void {
  const places = [...form.querySelectorAll<HTMLElement>('[data-at]')]
  const found = placesOf(pointer)
    .map((place) => places.find((element) => element.dataset['at'] === place))
    .find((element) => element !== undefined)
  const field = found?.matches(FIELDS) === true ? found : found?.querySelector<HTMLElement>(FIELDS)
  field?.focus()
}

const FIELDS = 'input, textarea, select, button'

/** Returns a place and those that contain it, the nearest first. Prices are shown for one variant or for all. */
function placesOf(pointer: string): string[] {
  const parts = pointer.split('/')
  const [, price] = /^\/variants\/\d+(\/priceTiers\/.*)/.exec(pointer) ?? []
  const around = parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
  return price === undefined ? around : [price, ...around]
}
