// Unpacks the bundle of a page that is a file, and starts it. As an inline script, it may run because the policy has
// its hash, too.

import {textOf, unpack} from './data/packed';

const packed = document.getElementById('tactus-bundle');
if (packed) {
  void unpack(packed).then((bytes) => {
    const script = document.createElement('script');
    script.textContent = textOf(bytes);
    document.body.append(script);
  });
}
