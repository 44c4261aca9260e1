// Starts the page: takes the plain tables away and shows the parts.

import './style/base.css';
import './style/table.css';
import './style/parts.css';
import './style/timeline.css';
import './style/phone.css';
import {render} from 'preact';
import {App} from './app';
import {openDocuments} from './data/documents';
import {followSystem} from './theme';

function start(): void {
  const target = document.getElementById('app');
  if (!target) return;
  followSystem();
  const documents = openDocuments();
  render(<App documents={documents} />, target);
  document.getElementById('plain')?.remove();
}

start();
