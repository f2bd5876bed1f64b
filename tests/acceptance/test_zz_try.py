import time
from pathlib import Path
from jobmonitor.demo.model_server import serving_model
from tests.acceptance.extracting import *
def test_x(database, tmp_path):
    queue(database,[posting_text(n) for n in range(200)])
    with serving_model() as s:
        e=Extractors(database,tmp_path,s)
        t=time.time(); print(e.run(), time.time()-t)
        print(e.rows("select state,producer,degraded,empty,attempts,count(*) from extraction group by 1,2,3,4,5"), e.outcomes(), len(s.log))
        for c in (["costs"],["batches"],["batches","show","1"],["status"],["extract","--dry-run"],["extract"], ["extract", "--upgrade", "rules", "--dry-run"]):
            r=subprocess.run([*PROGRAM,*c],cwd=ROOT,env=e.environment,capture_output=True,text=True); print(r.stdout,r.stderr[-1500:])
