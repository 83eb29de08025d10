import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOrderNumber, randomOrderNumber, readOrderNumberBeginning } from './order-number.ts'

test('order numbers are short, unambiguous and unique', () => {
  const numbers = Array.from({ length: 1000 }, randomOrderNumber)
  for (const number of numbers) {
    assert.match(number, /^PL-[0-9A-HJKMNP-TV-Z]{4}-[0-9A-HJKMNP-TV-Z]{4}$/)
    assert.ok(isOrderNumber(number))
  }
  assert.equal(new Set(numbers).size, numbers.length)
})

test('the check character detects every single wrong character', () => {
  const number = randomOrderNumber()
  for (const index of [3, 4, 5, 6, 8, 9, 10, 11]) {
    for (const character of '0123456789ABCDEFGHJKMNPQRSTVWXYZ') {
      const typed = number.slice(0, index) + character + number.slice(index + 1)
      assert.equal(isOrderNumber(typed), typed === number)
    }
  }
})

test('the beginning of a number is read as people type it, from the second half on', () => {
  for (const typed of ['PL-7KQ4-M2', 'pl 7kq4 m2', '7KQ4-M2', 'pl7kq4m2'])
    assert.equal(readOrderNumberBeginning(typed), 'PL-7KQ4-M2', typed)
  assert.equal(readOrderNumberBeginning('7KQ4-M2XD'), 'PL-7KQ4-M2XD')
  assert.equal(readOrderNumberBeginning('7kq4m2x'), 'PL-7KQ4-M2X')
  for (const typed of ['PL-7KQ4', '7KQ4-', 'M2XD', '7KQ4-M2XD-7', '7KQ4-M?', '7KQI-M2', 'Hansen', '1234 AB', ''])
    assert.equal(readOrderNumberBeginning(typed), undefined, typed)
})
