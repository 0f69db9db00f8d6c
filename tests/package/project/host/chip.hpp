#pragma once
inline int mine() { return 0; }
