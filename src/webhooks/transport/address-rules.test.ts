import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createAddressRules } from './address-rules.ts'

const { isPublic } = createAddressRules([])

test('IP addresses of private, special and reserved networks are not public', () => {
  const own = [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '127.0.0.1',
    '127.9.9.9',
  ]
  const cloud = ['168.63.129.16', '::ffff:168.63.129.16', '64:ff9b::168.63.129.16']
  const shared = ['100.64.0.1', '100.127.255.255', '169.254.169.254', '169.254.0.1']
  const special = ['192.0.0.1', '192.0.2.1', '198.18.0.1', '198.51.100.7', '203.0.113.9', '192.88.99.1']
  const many = ['224.0.0.1', '239.255.255.250', '240.0.0.1', '255.255.255.255']
  const six = ['::', '::1', 'fe80::1', 'febf::1', 'fec0::1', 'fc00::1', 'fd00:ec2::254', 'ff02::1', '100::1', '4000::1']
  const documented = ['2001:db8::1', '3fff::1', '2001:2::1', '2001:20::1', '5f00::1', '2001:10::1']
  // IPv4 addresses within IPv6 addresses: mapped, compatible, translated, NAT64, 6to4, Teredo.
  const inside = ['::ffff:127.0.0.1', '::ffff:a00:1', '::127.0.0.1', '::8.8.8.8', '::ffff:0:127.0.0.1']
  const translated = [
    '64:ff9b::7f00:1',
    '64:ff9b::169.254.169.254',
    '64:ff9b:1::808:808',
    '2002:7f00:1::1',
    '2001:0::1',
  ]
  for (const address of [own, cloud, shared, special, many, six, documented, inside, translated].flat()) {
    assert.equal(isPublic(address), false, address)
  }
  for (const nonsense of ['', 'localhost', '1.2.3', '1.2.3.4.5', 'fe80::1%eth0', '2606:4700::1%eth0']) {
    assert.equal(isPublic(nonsense), false, nonsense)
  }
})

test('IP addresses of the Internet are public, also through NAT64', () => {
  const four = ['1.1.1.1', '8.8.8.8', '172.15.0.1', '172.32.0.1', '100.128.0.1', '223.255.255.254', '::ffff:8.8.8.8']
  for (const address of [...four, '2606:4700:4700::1111', '2a00:1450:4001::1', '64:ff9b::8.8.8.8']) {
    assert.equal(isPublic(address), true, address)
  }
})

test('an IPv4 address and its IPv6 spellings get the same verdict', () => {
  fc.assert(
    fc.property(fc.ipV4(), (address) => {
      assert.equal(isPublic(`::ffff:${address}`), isPublic(address))
      assert.equal(isPublic(`64:ff9b::${address}`), isPublic(address))
    }),
  )
})

test('an allowed network allows its own IP addresses only', () => {
  const { isListed } = createAddressRules(['10.1.0.0/16', '192.168.7.7', 'fd00:1::/32', '::1', '::ffff:172.16.0.0/108'])
  for (const address of ['10.1.255.255', '::ffff:10.1.0.1', '192.168.7.7', 'fd00:1:2::3', '::1', '172.16.0.9']) {
    assert.equal(isListed(address), true, address)
  }
  for (const address of ['10.2.0.1', '192.168.7.8', 'fd00:2::1', '::2', '127.0.0.1', '172.32.0.1', '8.8.8.8', 'x']) {
    assert.equal(isListed(address), false, address)
  }
})
